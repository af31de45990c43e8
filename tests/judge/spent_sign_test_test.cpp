// Tests the screening's decision rule: its error, computed exactly for every way of stopping, and its power with the
// noise of real screenings.
#include "backends/judge/random_stream.hpp"
#include "backends/judge/spent_sign_test.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace kevolve;

namespace {

constexpr double delta = 0.005;

// Returns the probability that a walk with this probability of a positive sign ever reaches the boundary.
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

// Simulates a session on a busy machine: a third of the calls are 8 % slower, and a tenth lose a time slice.
comparison_decision session(random_stream& random, double effect, uint32_t pairs, double* used = nullptr) {
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
    if (test.decision() != comparison_decision::undecided) {
      if (used != nullptr)
        *used += i + 1;
      return test.decision();
    }
  }
  if (used != nullptr)
    *used += pairs;
  return comparison_decision::undecided;
}

} // namespace

TEST_CASE("a fair walk is called faster with probability at most alpha/5, slower with the rest, and uses up both") {
  for (double alpha : {0.05, 0.01})
    for (uint32_t horizon : {1U, 7U, 8U, 30U, 60U, 100U, 400U}) {
      const spent_sign_test test{delta, alpha, horizon};
      const auto faster = crossing(test.boundary_of_faster(), 0.5);
      const auto slower = crossing(test.boundary_of_slower(), 0.5);
      CAPTURE(alpha);
      CAPTURE(horizon);
      CHECK(faster <= 0.2 * alpha);
      CHECK(slower <= 0.8 * alpha);
      if (horizon >= 60) {
        CHECK(faster > 0.7 * 0.2 * alpha);
        CHECK(slower > 0.7 * 0.8 * alpha);
      }
      CHECK(crossing(test.boundary_of_faster(), 0.45) <= faster); // a slower candidate wins less often
    }
}

TEST_CASE("kernels that gain exactly delta are called faster in at most 1 % of sessions, equal ones less often") {
  random_stream random{21};
  int faster = 0;
  int at_the_margin = 0;
  for (int i = 0; i < 4000; ++i) {
    faster += session(random, 0.0, 60) == comparison_decision::faster ? 1 : 0;
    at_the_margin += session(random, std::log1p(delta), 60) == comparison_decision::faster ? 1 : 0;
  }
  CHECK(faster <= 40);
  CHECK(at_the_margin <= 59); // three standard deviations above 1 %
  CHECK(at_the_margin > 20);  // the boundary is used
}

TEST_CASE("a slowdown of 3 % is found in nine of ten screenings of a hundred pairs, a gain in eight") {
  random_stream random{22};
  int slower = 0;
  int faster = 0;
  double used = 0.0;
  constexpr int sessions = 1000;
  for (int i = 0; i < sessions; ++i) {
    slower += session(random, -std::log(1.03), 100, &used) == comparison_decision::slower ? 1 : 0;
    faster += session(random, std::log(1.03), 100) == comparison_decision::faster ? 1 : 0;
  }
  CHECK(slower >= sessions * 9 / 10);
  CHECK(faster >= sessions * 8 / 10);
  CHECK(used / sessions < 60.0);
}

TEST_CASE("with a hundred pairs at 5 per cent, ten equal signs win, eight lose, and not one fewer") {
  struct form {
    double log_ratio;
    int signs;
    comparison_decision decision;
  };
  for (const auto& f : {form{0.1, 10, comparison_decision::faster}, form{-0.1, 8, comparison_decision::slower}}) {
    spent_sign_test test{delta, 0.05, 100};
    for (int i = 1; i < f.signs; ++i)
      test.add(f.log_ratio);
    CHECK(test.decision() == comparison_decision::undecided);
    test.add(f.log_ratio);
    CHECK(test.decision() == f.decision);
    for (int i = 0; i < 50; ++i) // a decision is final
      test.add(-f.log_ratio);
    CHECK(test.decision() == f.decision);
  }
}

TEST_CASE("a walk between the baseline and a faster parent is called slower, with the same error") {
  const double lead = std::log(1.04);
  spent_sign_test plain{delta, 0.05, 60};
  spent_sign_test with_parent{delta, 0.05, 60, 1.04};
  CHECK(with_parent.boundary_of_slower() == plain.boundary_of_slower());
  CHECK(with_parent.boundary_of_faster() == plain.boundary_of_faster());
  for (int i = 0; i < 7; ++i) {
    plain.add(0.0);
    with_parent.add(0.0);
  }
  CHECK(plain.decision() == comparison_decision::undecided);
  CHECK(with_parent.decision() == comparison_decision::slower);
  spent_sign_test equal{delta, 0.05, 60, 1.04};
  for (int i = 0; i < 60; ++i)
    equal.add(lead); // as fast as its parent
  CHECK(equal.decision() == comparison_decision::faster);
}

TEST_CASE("gains below delta, ties, invalid ratios and pairs beyond the horizon win nothing") {
  spent_sign_test test{delta, 0.05, 40};
  for (int i = 0; i < 20; ++i) {
    test.add(std::log1p(delta));
    test.add(std::numeric_limits<double>::infinity());
    test.add(std::nan(""));
  }
  for (int i = 0; i < 40; ++i)
    test.add(0.004);
  CHECK(test.decision() == comparison_decision::undecided);
  for (int i = 0; i < 100; ++i)
    test.add(0.1);
  CHECK(test.decision() == comparison_decision::undecided);
  spent_sign_test none{delta, 0.05, 0};
  none.add(0.1);
  CHECK(none.decision() == comparison_decision::undecided);
}
