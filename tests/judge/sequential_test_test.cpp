// Tests the decision rule: its error rate and power by simulation, and the exact interval of a median.
#include "backends/judge/random_stream.hpp"
#include "backends/judge/sequential_test.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace kevolve;

namespace {

// Simulates a session: pairs with log ratio `effect` and heavy-tailed noise, evaluated after every pair.
comparison_decision session(random_stream& random, double effect, double noise, uint32_t pairs,
                            uint32_t* used = nullptr) {
  sign_test test{0.005};
  for (uint32_t i = 0; i < pairs; ++i) {
    auto x = noise * random.normal();
    if (random.uniform() < 0.05)
      x *= 30.0; // a disturbance by a neighbour
    test.add(effect + x);
    if (auto d = test.decide(0.05); d != comparison_decision::undecided) {
      if (used != nullptr)
        *used = test.pairs();
      return d;
    }
  }
  return comparison_decision::undecided;
}

} // namespace

TEST_CASE("equal kernels are called faster in at most alpha/2 of watched sessions") {
  random_stream random{11};
  // An effect equal to delta is the hardest null hypothesis: each sign is a fair coin.
  int faster = 0;
  int slower_when_equal = 0;
  constexpr int sessions = 4000;
  for (int i = 0; i < sessions; ++i) {
    faster += session(random, std::log1p(0.005), 0.02, 150) == comparison_decision::faster ? 1 : 0;
    slower_when_equal += session(random, 0.0, 0.02, 150) != comparison_decision::undecided ? 1 : 0;
  }
  // 2.5 % of 4000 are 100; three standard deviations above are 130.
  CHECK(faster <= 130);
  CHECK(faster > 0); // the error is nearly used up, so the test is not trivial
  CHECK(slower_when_equal <= 130);
}

TEST_CASE("five per cent are found within a few pairs, in either direction") {
  random_stream random{12};
  int right = 0;
  uint32_t pairs = 0;
  constexpr int sessions = 500;
  for (int i = 0; i < sessions; ++i) {
    uint32_t used = 0;
    right += session(random, std::log(1.05), 0.01, 60, &used) == comparison_decision::faster ? 1 : 0;
    pairs += used;
    right += session(random, -std::log(1.05), 0.01, 60) == comparison_decision::slower ? 1 : 0;
  }
  CHECK(right >= 2 * sessions * 98 / 100);
  CHECK(pairs / sessions <= 12);
}

TEST_CASE("eight equal signs decide at 5 per cent, seven do not") {
  sign_test test{0.005};
  for (int i = 0; i < 7; ++i)
    test.add(0.1);
  CHECK(test.decide(0.05) == comparison_decision::undecided);
  test.add(0.1);
  CHECK(test.decide(0.05) == comparison_decision::faster);
  CHECK(test.log_e_slower() < 0.0);
}

TEST_CASE("gains below delta, ties and invalid ratios win nothing") {
  sign_test test{0.005};
  for (int i = 0; i < 100; ++i)
    test.add(0.004);
  CHECK(test.decide(0.05) == comparison_decision::undecided);
  const auto before = test.log_e_faster();
  test.add(std::log(0.0));
  test.add(std::nan(""));
  CHECK(test.log_e_faster() == before);
  CHECK(test.pairs() == 102);
}

TEST_CASE("the median's interval has the ranks of the binomial") {
  std::vector<double> v(30);
  for (size_t i = 0; i < v.size(); ++i)
    v[i] = static_cast<double>((i * 7) % 30 + 1); // 1 … 30 in another order
  const auto r = interval_of_median(v);
  CHECK(r.median == 15.5);
  CHECK(r.low == 10.0); // the 10th and the 21st: 95.7 %
  CHECK(r.high == 21.0);
  CHECK(r.coverage == doctest::Approx(0.9572).epsilon(0.001));
  const auto few = interval_of_median({3, 1, 2});
  CHECK(few.low == 1.0);
  CHECK(few.high == 3.0);
  CHECK(few.coverage == doctest::Approx(0.75));
  CHECK(interval_of_median({5.0}).coverage == 0.0);
  CHECK(interval_of_median({}).median == 0.0);
}

TEST_CASE("the median's interval has its stated coverage") {
  random_stream random{13};
  int covered = 0;
  constexpr int trials = 2000;
  for (int i = 0; i < trials; ++i) {
    std::vector<double> v(30);
    for (auto& x : v)
      x = std::exp(random.normal()); // skewed, with median 1
    const auto r = interval_of_median(v);
    covered += r.low <= 1.0 && 1.0 <= r.high ? 1 : 0;
  }
  CHECK(covered > trials * 94 / 100);
  CHECK(covered < trials * 975 / 1000);
}

TEST_CASE("the geometric mean weights logs and returns 0 for invalid values") {
  CHECK(weighted_geometric_mean({2.0, 8.0}, {1.0, 1.0}) == doctest::Approx(4.0));
  CHECK(weighted_geometric_mean({2.0, 8.0}, {2.0, 1.0}) == doctest::Approx(std::cbrt(32.0)));
  CHECK(weighted_geometric_mean({2.0, 0.0}, {1.0, 1.0}) == 0.0);
  CHECK(weighted_geometric_mean({}, {}) == 0.0);
}
