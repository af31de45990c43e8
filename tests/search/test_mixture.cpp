#include "actors/search/mixture.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

TEST_CASE("generators are picked by weight, reproducibly by the seed") {
  const std::vector<generator_load> all{{1.0, 0, 0}, {0.0, 0, 0}, {3.0, 0, 0}};
  std::vector<int> picked(3);
  for (uint64_t seed = 0; seed < 4'000; ++seed) {
    auto i = pick_generator(all, seed);
    REQUIRE(i);
    ++picked[*i];
    REQUIRE(i == pick_generator(all, seed));
  }
  CHECK(picked[0] > 850);
  CHECK(picked[0] < 1'150);
  CHECK(picked[1] == 0);
  CHECK(pick_generator({{2.0, 7, 0}}, 5) == 0);
}

TEST_CASE("a generator at its limit of steps in flight is skipped") {
  std::vector<generator_load> all{{100.0, 2, 2}, {1.0, 50, 0}};
  for (uint64_t seed = 0; seed < 50; ++seed)
    CHECK(pick_generator(all, seed) == 1);
  all[1].weight = 0.0;
  CHECK_FALSE(pick_generator(all, 1));
  all[0].at_work = 1;
  CHECK(pick_generator(all, 1) == 0);
  CHECK_FALSE(pick_generator({}, 1));
}

TEST_CASE("a generator on hold is skipped; one without weight stands in when all others are") {
  const generator_load held{1.0, 0, 0, true};
  const generator_load spare{0.0, 0, 0, false};
  const generator_load other{1.0, 0, 0, false};
  for (uint64_t seed = 0; seed < 50; ++seed) {
    CHECK(pick_generator({held, other, spare}, seed) == 1);
    CHECK(pick_generator({held, spare}, seed) == 1);
    CHECK(pick_generator({other, spare}, seed) == 0);
  }
  CHECK(!pick_generator({held}, 1));
  CHECK(!pick_generator({held, {0.0, 0, 0, true}}, 1));
}

TEST_CASE("weights follow the gain per time and money, within bounds") {
  const std::vector<double> given{1.0, 1.0};
  CHECK(adapted_weights(given, {{}, {}}) == given);
  CHECK(adapted_weights(given, {{40, 0.0, 100.0, 0.0}, {40, 0.0, 100.0, 0.0}}) == given); // no policy gained
  const auto equal = adapted_weights(given, {{40, 1.0, 100.0, 0.0}, {40, 1.0, 100.0, 0.0}});
  CHECK(equal[0] == doctest::Approx(equal[1]));
  const auto better = adapted_weights(given, {{40, 2.0, 100.0, 0.0}, {40, 0.5, 100.0, 0.0}});
  CHECK(better[0] > better[1]);
  const auto slower = adapted_weights(given, {{40, 1.0, 1'000.0, 0.0}, {40, 1.0, 100.0, 0.0}});
  CHECK(slower[0] < slower[1]);
  const auto dearer = adapted_weights(given, {{40, 1.0, 100.0, 5.0}, {40, 1.0, 100.0, 0.0}});
  CHECK(dearer[0] < dearer[1]);
  const auto hopeless = adapted_weights(given, {{10'000, 0.0, 1e6, 0.0}, {10'000, 50.0, 10.0, 0.0}});
  CHECK(hopeless[0] == doctest::Approx(0.25));
  CHECK(hopeless[1] == doctest::Approx(4.0));
  const auto early = adapted_weights(given, {{1, 0.7, 1.0, 0.0}, {1, 0.0, 1.0, 0.0}});
  CHECK(early[0] < 1.2); // a single lucky step is no proof
}
