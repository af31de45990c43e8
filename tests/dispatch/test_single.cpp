#include "tools/kevolve/dispatch/single_kernel.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace kevolve;
using namespace kevolve::dispatch;

namespace {

// A shape's pairs at constant times.
shape_timing timed(double baseline_ns, double candidate_ns, size_t pairs, double weight = 1.0, bool held_out = false) {
  shape_timing t;
  t.held_out = held_out;
  t.weight = weight;
  t.baseline_ns.assign(pairs, baseline_ns);
  t.candidate_ns.assign(pairs, candidate_ns);
  return t;
}

judge_outcome outcome_of(std::vector<shape_timing> timings) {
  judge_outcome o;
  o.speedup = 0.9;
  o.timings = std::move(timings);
  return o;
}

} // namespace

TEST_CASE("a round's ratio is the weighted mean over the declared shapes") {
  const auto rounds = round_log_ratios({timed(200, 100, 3, 3.0), timed(100, 200, 2, 1.0), timed(1, 100, 9, 1.0, true)});
  REQUIRE(rounds.size() == 2); // the pairs that every declared shape has
  for (auto x : rounds)
    CHECK(x == doctest::Approx(0.5 * std::log(2.0)));
  CHECK(round_log_ratios({timed(1, 1, 9, 1.0, true)}).empty());
}

TEST_CASE("the dispatcher loses to a single kernel only if it is shown to be slower by more than the margin") {
  CHECK(compared_with_single(2, outcome_of({timed(100, 110, 30)}), {}).loses());
  CHECK(compared_with_single(2, outcome_of({timed(100, 110, 30)}), {}).kernel == 2);
  CHECK(compared_with_single(2, outcome_of({timed(100, 110, 30)}), {}).speedup == 0.9);
  CHECK_FALSE(compared_with_single(2, outcome_of({timed(100, 110, 30)}), {0.2}).loses());
  CHECK_FALSE(compared_with_single(2, outcome_of({timed(100, 102, 30)}), {}).loses());
  CHECK_FALSE(compared_with_single(2, outcome_of({timed(100, 110, 4)}), {}).loses()); // too few to show it
  // A shape on which it is far ahead outweighs one on which it is behind.
  CHECK_FALSE(compared_with_single(2, outcome_of({timed(100, 110, 30), timed(300, 100, 30)}), {}).loses());
}

TEST_CASE("the fastest kernel alone is the one with the highest speed-up") {
  CHECK(fastest_single({1.5, 3.0, 2.0}) == 1);
}
