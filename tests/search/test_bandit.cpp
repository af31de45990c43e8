#include "actors/search/bandit.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <map>

using namespace kevolve;

namespace {

// Returns the steps of each arm after `steps` choices, of which each ends at once with what `outcome` says.
std::vector<int> steps_of(std::vector<double> weights, int steps, const std::function<bandit_yield(size_t)>& outcome) {
  std::map<uint32_t, bandit_yield> yields;
  std::vector<int> out(weights.size());
  const std::vector<bool> may(weights.size(), true);
  for (int i = 0; i < steps; ++i) {
    std::vector<bandit_arm> arms;
    for (uint32_t k = 0; k < weights.size(); ++k)
      arms.push_back({weights[k], yields.contains(k) ? yields[k] : bandit_yield{}, 0});
    const auto chosen = pick_arm(arms, may);
    REQUIRE(chosen);
    ++out[*chosen];
    add_step(yields, static_cast<uint32_t>(*chosen), outcome(*chosen));
  }
  return out;
}

} // namespace

TEST_CASE("without any gain the bandit shares steps out as the weights say") {
  const auto steps = steps_of({3.0, 1.0}, 40, [](size_t) { return bandit_yield{1.0, 0.0, 1.0, 0.0}; });
  CHECK(steps == std::vector<int>{30, 10});
  CHECK(steps_of({1.0, 0.0}, 10, [](size_t) { return bandit_yield{1.0, 0.0, 1.0, 0.0}; }) == std::vector<int>{10, 0});
}

TEST_CASE("the bandit prefers what gains more, and still asks the other") {
  const auto steps =
      steps_of({1.0, 1.0}, 200, [](size_t k) { return bandit_yield{1.0, k == 1 ? 0.1 : 0.01, 1.0, 0.0}; });
  CHECK(steps[1] > 140);
  CHECK(steps[0] > 5);
}

TEST_CASE("the bandit prefers equal gains for less time, or for less money") {
  const auto slow =
      steps_of({1.0, 1.0}, 200, [](size_t k) { return bandit_yield{1.0, 0.1, k == 0 ? 10.0 : 1.0, 0.0}; });
  CHECK(slow[1] > 130);
  const auto dear = steps_of({1.0, 1.0}, 200, [](size_t k) { return bandit_yield{1.0, 0.1, 1.0, k == 0 ? 1.0 : 0.0}; });
  CHECK(dear[1] > 120);
}

TEST_CASE("the bandit turns away from a generator that gains no longer") {
  int chosen = 0;
  const auto steps = steps_of({1.0, 1.0}, 400, [&chosen](size_t k) {
    const bool early = chosen++ < 250;
    return bandit_yield{1.0, (k == 0) == early ? 0.1 : 0.0, 1.0, 0.0};
  });
  CHECK(steps[1] > 145); // without fading: 128
}

TEST_CASE("steps in flight count as begun, so that concurrent steps spread") {
  const bandit_yield none;
  CHECK(pick_arm({{1.0, none, 0}, {1.0, none, 0}}, {true, true}) == 0);
  CHECK(pick_arm({{1.0, none, 1}, {1.0, none, 0}}, {true, true}) == 1);
}

TEST_CASE("an arm that may not be asked, or has no weight, is not picked") {
  const bandit_yield rich{10.0, 5.0, 1.0, 0.0};
  CHECK(pick_arm({{1.0, rich, 0}, {1.0, {}, 0}}, {false, true}) == 1);
  CHECK(pick_arm({{0.0, rich, 0}, {1.0, {}, 0}}, {true, true}) == 1);
  CHECK_FALSE(pick_arm({{1.0, rich, 0}}, {false}));
  CHECK_FALSE(pick_arm({}, {}));
}
