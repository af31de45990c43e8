// The race's decision rule: its error counted exactly for every way of stopping, and its power on the noise that real
// races showed.
#include "backends/judging/random_stream.hpp"
#include "backends/judging/spent_sign_test.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace kevolve;

namespace {

constexpr double delta = 0.005;

// The chance that a walk with positive signs of this probability ever reaches the boundary.
double crossing(const std::vector<uint32_t>& boundary, double p) {
  std::vector<double> alive{1.0};
  double crossed = 0.0;
  for (uint32_t n = 1; n < boundary.size(); ++n) {
    std::vector<double> next(n + 1, 0.0);
    for (uint32_t k = 0; k < n; ++k) {
      next[k] += (1.0 - p) * alive[k];
      next[k + 1] += p * alive[k];
    }
    for (auto k = boundary[n]; k <= n; ++k) {
      crossed += next[k];
      next[k] = 0.0;
    }
    alive = std::move(next);
  }
  return crossed;
}

// A session of pairs as races on a busy machine show them: every call may meet a slow moment of 8 % (a third do) or
// lose a slice (a tenth do).
race_decision session(random_stream& random, double effect, uint32_t pairs, double* used = nullptr) {
  auto call = [&] {
    auto log_time = 0.012 * random.normal();
    if (random.uniform() < 0.35)
      log_time += 0.07;
    if (random.uniform() < 0.1)
      log_time += 1.5;
    return log_time;
  };
  spent_sign_test test{delta, 0.05, pairs};
  for (uint32_t i = 0; i < pairs; ++i) {
    test.add(call() - (call() - effect));
    if (test.decision() != race_decision::undecided) {
      if (used != nullptr)
        *used += i + 1;
      return test.decision();
    }
  }
  if (used != nullptr)
    *used += pairs;
  return race_decision::undecided;
}

} // namespace

TEST_CASE("a fair walk crosses the boundary with probability alpha/2 at most, and uses it up") {
  for (double alpha : {0.05, 0.01})
    for (uint32_t horizon : {1U, 7U, 8U, 30U, 60U, 100U, 400U}) {
      const spent_sign_test test{delta, alpha, horizon};
      const auto error = crossing(test.boundary(), 0.5);
      CAPTURE(alpha);
      CAPTURE(horizon);
      CHECK(error <= alpha / 2.0);
      if (horizon >= 60)
        CHECK(error > 0.7 * alpha / 2.0);
      CHECK(crossing(test.boundary(), 0.45) <= error); // a worse contestant wins less
    }
}

TEST_CASE("in equal contests at most 12 of 400 are called faster, and of those who gain delta at most 2.5 %") {
  random_stream random{21};
  int faster = 0;
  int at_the_margin = 0;
  for (int i = 0; i < 4000; ++i) {
    faster += session(random, 0.0, 60) == race_decision::faster ? 1 : 0;
    at_the_margin += session(random, std::log1p(delta), 60) == race_decision::faster ? 1 : 0;
  }
  CHECK(faster <= 120);
  CHECK(at_the_margin <= 130); // three deviations above 2.5 %
  CHECK(at_the_margin > 50);   // the boundary is used
}

TEST_CASE("three per cent are found in nine of ten races of a hundred pairs") {
  random_stream random{22};
  int slower = 0;
  int faster = 0;
  double used = 0.0;
  constexpr int sessions = 1000;
  for (int i = 0; i < sessions; ++i) {
    slower += session(random, -std::log(1.03), 100, &used) == race_decision::slower ? 1 : 0;
    faster += session(random, std::log(1.03), 100) == race_decision::faster ? 1 : 0;
  }
  CHECK(slower >= sessions * 9 / 10);
  CHECK(faster >= sessions * 9 / 10);
  CHECK(used / sessions < 60.0);
}

TEST_CASE("eight like signs decide at 5 per cent in a hundred pairs, seven do not") {
  for (double sign : {1.0, -1.0}) {
    spent_sign_test test{delta, 0.05, 100};
    for (int i = 0; i < 7; ++i)
      test.add(sign * 0.1);
    CHECK(test.decision() == race_decision::undecided);
    test.add(sign * 0.1);
    CHECK(test.decision() == (sign > 0.0 ? race_decision::faster : race_decision::slower));
    for (int i = 0; i < 50; ++i) // decided is decided
      test.add(-sign * 0.1);
    CHECK(test.decision() == (sign > 0.0 ? race_decision::faster : race_decision::slower));
  }
}

TEST_CASE("gains below delta, ties, broken clocks and pairs beyond the horizon win nothing") {
  spent_sign_test test{delta, 0.05, 40};
  for (int i = 0; i < 20; ++i) {
    test.add(std::log1p(delta));
    test.add(std::numeric_limits<double>::infinity());
    test.add(std::nan(""));
  }
  for (int i = 0; i < 40; ++i)
    test.add(0.004);
  CHECK(test.decision() == race_decision::undecided);
  for (int i = 0; i < 100; ++i)
    test.add(0.1);
  CHECK(test.decision() == race_decision::undecided);
  spent_sign_test none{delta, 0.05, 0};
  none.add(0.1);
  CHECK(none.decision() == race_decision::undecided);
}
