#include "tools/kevolve/dispatch/non_inferiority.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace kevolve::dispatch;

namespace {

// Counts the results of `tries` tests of `pairs` pairs each. The candidate takes `slowdown` times as long as its
// baseline; each log ratio has normal noise, and some calls are disturbed.
struct tally {
  size_t not_inferior = 0;
  size_t inferior = 0;
};
tally simulate(double slowdown, double noise, size_t pairs, size_t tries, uint64_t seed) {
  std::mt19937_64 bits{seed};
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  tally out;
  for (size_t t = 0; t < tries; ++t) {
    std::vector<double> logs(pairs);
    for (auto& x : logs) {
      x = -std::log(slowdown) + noise * normal(bits);
      if (const auto hit = uniform(bits); hit < 0.1) // either side of the pair
        x += hit < 0.05 ? 0.5 : -0.5;
    }
    const auto r = test_regression(logs, {}).result;
    out.not_inferior += r == regression::not_inferior ? 1U : 0U;
    out.inferior += r == regression::inferior ? 1U : 0U;
  }
  return out;
}

} // namespace

TEST_CASE("a candidate at the margin is called not inferior, or inferior, in at most five of a hundred tests") {
  constexpr size_t tries = 10'000;
  for (const auto pairs : std::vector<size_t>{5, 8, 12, 30, 31, 180}) {
    INFO(pairs);
    const auto at_margin = simulate(1.03, 0.04, pairs, tries, 11 + pairs);
    // Five percent, and three standard deviations of a count of so many tries.
    CHECK(at_margin.not_inferior <= tries * 5 / 100 + 66);
    CHECK(at_margin.inferior <= tries * 5 / 100 + 66);
    const auto worse = simulate(1.06, 0.04, pairs, tries, 17 + pairs);
    CHECK(worse.not_inferior <= at_margin.not_inferior);
  }
}

TEST_CASE("thirty pairs show that an equal candidate is not inferior, and that a much slower one is") {
  constexpr size_t tries = 2'000;
  CHECK(simulate(1.0, 0.03, 30, tries, 3).not_inferior > tries * 85 / 100);
  CHECK(simulate(0.9, 0.03, 30, tries, 4).not_inferior > tries * 99 / 100);
  CHECK(simulate(1.1, 0.03, 30, tries, 5).inferior > tries * 99 / 100);
  CHECK(simulate(1.0, 0.03, 30, tries, 6).inferior == 0);
}

TEST_CASE("few pairs show nothing, and more pairs show more") {
  const std::vector<double> four(4, std::log(2.0));
  CHECK(test_regression(four, {}).result == regression::not_shown); // 1/16
  CHECK(test_regression(four, {}).pairs == 4);
  CHECK(test_regression(std::vector<double>(5, std::log(2.0)), {}).result == regression::not_inferior); // 1/32
  CHECK(test_regression(std::vector<double>(5, std::log(0.5)), {}).result == regression::inferior);
  CHECK(test_regression(std::vector<double>(5, std::log(2.0)), {0.03, 0.99}).result == regression::not_shown);
  CHECK(test_regression({}, {}).result == regression::not_shown);
}

TEST_CASE("the margin decides what counts as a regression") {
  const std::vector<double> two_percent(30, -std::log(1.02));
  CHECK(test_regression(two_percent, {0.03}).result == regression::not_inferior);
  CHECK(test_regression(two_percent, {0.01}).result == regression::inferior);
  CHECK(test_regression(std::vector<double>(30, -std::log1p(0.02)), {0.02}).result == regression::not_shown); // at it
}

TEST_CASE("a pair without a ratio counts for neither side") {
  std::vector<double> logs(5, std::log(2.0));
  logs.push_back(std::numeric_limits<double>::quiet_NaN());
  CHECK(test_regression(logs, {}).result == regression::not_shown); // five of six
  CHECK(test_regression(logs, {}).pairs == 6);
}
