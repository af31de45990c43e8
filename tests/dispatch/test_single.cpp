#include "tools/kevolve/dispatch/single_kernel.hpp"

#include "backends/judge/outcome_figures.hpp"
#include "tests/dispatch/sample.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace kevolve;
using namespace kevolve::dispatch;
using namespace kevolve::test;

namespace {

// Returns a shape's pairs at constant times.
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

TEST_CASE("a single kernel never stands for a dispatcher that leaves other sizes to the reference") {
  auto t = sample_task();
  const auto good = measured({3, 3, 3, 3, 3});
  CHECK(policy_of(t, false) == outside_policy::kernel);
  CHECK(policy_of(t, true) == outside_policy::reference);
  CHECK(why_not_alone(t, good, "", outside_policy::kernel).empty());
  CHECK(why_not_alone(t, good, "", outside_policy::reference).starts_with("--outside reference"));
  for (auto& a : t.arguments)
    if (a.role == argument_role::size)
      set_size_rule(a, {.declared_only = true});
  CHECK(policy_of(t, false) == outside_policy::not_defined);
  CHECK(policy_of(t, true) == outside_policy::not_defined);
  CHECK(why_not_alone(t, good, "", outside_policy::not_defined).find("declared sizes alone") != std::string::npos);
}

TEST_CASE("a single kernel that is wrong, not measured or inferior somewhere does not stand for a dispatcher") {
  const auto t = sample_task();
  CHECK(why_not_alone(t, measured({3, 3, 3, 3, 3}), "crash", outside_policy::kernel).find("crash")
        != std::string::npos);
  CHECK(why_not_alone(t, measured({3, 3, 3, 0.5, 3}), "", outside_policy::kernel)
        == "that kernel is inferior to the reference at rows=1 cols=1");
  CHECK(why_not_alone(t, measured({3, 3, 3, 0.98, 3}), "", outside_policy::kernel).empty()); // not shown
  const auto unseen = measured({3, 3, 3, 3, 0});
  CHECK(why_not_alone(t, unseen, "", outside_policy::kernel).empty());
  CHECK(why_not_alone(t, unseen, "", outside_policy::kernel, {0, {}, 1}).find("not measured at rows=50")
        != std::string::npos);
}

TEST_CASE("the comparison with a single kernel is of the calls alone, as its test is") {
  auto o = outcome_of({timed(100, 110, 30)});
  note_outputs(o, {{0.91, 0.9, 0.92}, {0.5, 0.4, 0.6}});
  CHECK(compared_with_single(0, o, {}).speedup == doctest::Approx(0.91));
}
