// The paired comparison and its timing loop on processes that are none: what is dealt, in what order, and when it ends.
#include "backends/judge/paired_comparison.hpp"
#include "backends/judge/timing_session.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>

using namespace kevolve;

namespace {

std::shared_ptr<const input_sets> sets_of(const std::string& shape, size_t count, bool held_out = false) {
  static uint64_t number = 0;
  auto out = std::make_shared<input_sets>();
  out->shape.name = shape;
  out->shape.held_out = held_out;
  out->sets.resize(count);
  for (auto& set : out->sets)
    set.number = ++number;
  out->reference_ns = {1000.0};
  return out;
}

class fake_pair final : public process_pair {
public:
  std::function<double(timed_side, size_t)> time = [](timed_side, size_t) { return 1000.0; }; // of each timed call
  size_t disturbed_calls = 0;       // the first so many timed calls of the candidate
  std::vector<session_noise> noise; // of each session in turn; then calm
  bool with_baseline = true;

  size_t launches = 0;
  std::map<uint64_t, int> calls; // by set, of the living processes
  size_t warm_ups = 0;
  std::map<timed_side, size_t> timed;
  size_t sessions = 0;
  size_t forgotten = 0;

  bool has_baseline() const override { return with_baseline; }
  attempt<bool> ready(const std::vector<compared_shape>& /*shapes*/, size_t /*index*/, bool exhausted) override {
    if (launches > 0 && !exhausted)
      return false;
    ++launches;
    calls.clear();
    return true;
  }
  bool unmet(const input_set& set) const override { return calls.count(set.number) == 0; }
  void note_met(const input_set& set) override { CHECK(calls.emplace(set.number, 0).second); }
  attempt<timed_call> call(timed_side who, const compared_shape& /*shape*/, size_t /*index*/, const input_set& set,
                           call_purpose purpose) override {
    CHECK(++calls.at(set.number) <= 2);
    if (purpose == call_purpose::warm_up) {
      ++warm_ups;
      return timed_call{1e9, false};
    }
    const auto number = timed[who]++;
    return timed_call{time(who, number), who == timed_side::candidate && number < disturbed_calls};
  }
  void forget_samples() override { ++forgotten; }
  session_noise end_session(const session_counts& counts, std::map<std::string, std::string>& /*evidence*/) override {
    CHECK(counts.repeated == sessions);
    return sessions++ < noise.size() ? noise[sessions - 1] : session_noise{};
  }
};

// Device rules are those without an exception for short calls.
constexpr timing_rules strict_rules{2, std::chrono::milliseconds{0}, 0.0, std::chrono::milliseconds{0}, false, 5};

judge_outcome outcome_of(fake_pair& processes, judge_mode mode, const timing_rules& rules) {
  judge_request request;
  request.mode = mode;
  request.screening_ms = 60'000;
  request.min_interval_pairs = 12;
  request_hooks hooks;
  hooks.progress = [](const std::string&) {};
  hooks.cancelled = [] { return false; };
  hooks.deadline = std::chrono::steady_clock::now() + std::chrono::hours{1};
  judge_outcome out;
  paired_comparison comparison{processes, request.delta, out.correctness};
  comparison.add_shape(sets_of("n=1", 16), 0.0);
  comparison.add_shape(sets_of("held out", 16, true), 0.0);
  CHECK(run_timing_session(rules, {}, request, hooks, processes, comparison, out).has_value());
  return out;
}

std::function<double(timed_side, size_t)> candidate_takes(double ns) {
  return [ns](timed_side who, size_t) { return who == timed_side::candidate ? ns : 1000.0; };
}

} // namespace

TEST_CASE("no process meets an input set twice, and its first call on a shape is timed for nobody") {
  fake_pair processes;
  correctness_report report;
  paired_comparison comparison{processes, 0.005, report};
  comparison.add_shape(sets_of("a", 3), 0.0);
  comparison.add_shape(sets_of("b", 5), 0.0);
  for (int k = 0; k < 4; ++k)
    REQUIRE(comparison.pair(0));
  CHECK(processes.launches == 2); // one set of three is a warm-up's
  CHECK(processes.warm_ups == 4);
  for (int k = 0; k < 4; ++k)
    REQUIRE(comparison.pair(1));
  CHECK(processes.launches == 2); // the other shape has sets of its own
  REQUIRE(comparison.pair(1));
  CHECK(processes.launches == 3);
  CHECK(comparison.pairs() == 9);
  CHECK(comparison.shapes()[0].baseline_ns.size() == 4);
  CHECK(comparison.shapes()[1].candidate_ns == std::vector<double>(5, 1000.0)); // the warm-ups took 1 s
  CHECK(report.seeds == 9 + 4);
}

TEST_CASE("a shape of one input set cannot be timed") {
  fake_pair processes;
  correctness_report report;
  paired_comparison comparison{processes, 0.005, report};
  comparison.add_shape(sets_of("a", 1), 0.0);
  const auto pair = comparison.pair(0);
  REQUIRE_FALSE(pair);
  CHECK(pair.error().trouble.kind == "internal");
}

TEST_CASE("a disturbed pair is repeated on other sets, and counts after four tries") {
  for (const size_t disturbed : {size_t{2}, size_t{9}}) {
    CAPTURE(disturbed);
    fake_pair processes;
    processes.disturbed_calls = disturbed;
    correctness_report report;
    paired_comparison comparison{processes, 0.005, report};
    comparison.add_shape(sets_of("a", 16), 0.0);
    REQUIRE(comparison.pair(0));
    CHECK(comparison.pairs() == 1);
    CHECK(comparison.disturbed() == std::min<size_t>(disturbed, 3));
    CHECK(comparison.waiting() == (disturbed > 3 ? 1U : 0U));
    CHECK(comparison.played() == std::min<size_t>(disturbed, 3) + 1);
    CHECK(comparison.shapes()[0].candidate_ns.size() == 1);
  }
}

TEST_CASE("either side is called first about as often") {
  fake_pair processes;
  correctness_report report;
  paired_comparison comparison{processes, 0.005, report};
  comparison.add_shape(sets_of("a", 64), 0.0);
  for (int k = 0; k < 400; ++k)
    REQUIRE(comparison.pair(0));
  CHECK(comparison.played() == 400);
  CHECK(comparison.candidate_first() > 130); // seven standard deviations
  CHECK(comparison.candidate_first() < 270);
}

TEST_CASE("a candidate without a baseline is timed alone, and decides nothing") {
  fake_pair processes;
  processes.with_baseline = false;
  const auto out = outcome_of(processes, judge_mode::screening, strict_rules);
  CHECK(processes.timed[timed_side::baseline] == 0);
  CHECK(out.decision == comparison_decision::undecided);
  REQUIRE(out.timings.size() == 1);
  CHECK(out.timings[0].baseline_ns.empty());
  CHECK(out.timings[0].candidate_ns.size() == 60); // judge_request::max_pairs
  CHECK(out.speedup == 0.0);
}

TEST_CASE("a faster candidate is found in a screening and in a confirmation, on every rule") {
  for (const auto& rules : {timing_rules{}, strict_rules})
    for (const auto mode : {judge_mode::screening, judge_mode::confirm}) {
      fake_pair processes;
      processes.time = candidate_takes(500.0);
      const auto out = outcome_of(processes, mode, rules);
      CHECK(out.decision == comparison_decision::faster);
      CHECK_FALSE(out.estimate);
      CHECK(out.speedup == doctest::Approx(2.0));
      CHECK(out.ci_low == doctest::Approx(2.0));
      const bool confirmed = mode == judge_mode::confirm;
      REQUIRE(out.timings.size() == (confirmed ? 2 : 1));
      if (confirmed) {
        CHECK(out.timings[1].held_out);
        CHECK(out.timings[1].candidate_ns.size() == rules.held_out_pairs);
        CHECK(out.timings[0].candidate_ns.size() == 12);
      }
    }
}

TEST_CASE("a slow candidate is screened out after as many pairs as its target's rules ask for") {
  struct slow_case {
    timing_rules rules;
    double candidate_ns;
    size_t pairs;
  };
  timing_rules patient;
  patient.short_calls = std::chrono::hours{1}; // however slow this machine is now
  for (const auto& c : {slow_case{strict_rules, 10e3, 3}, slow_case{patient, 10e3, 5},
                        slow_case{timing_rules{}, 100e6, 1}, slow_case{strict_rules, 100e6, 3}}) {
    CAPTURE(c.pairs);
    fake_pair processes;
    processes.time = candidate_takes(c.candidate_ns);
    const auto out = outcome_of(processes, judge_mode::screening, c.rules);
    CHECK(out.decision == comparison_decision::screened);
    CHECK(out.estimate);
    CHECK(out.speedup == doctest::Approx(1000.0 / c.candidate_ns));
    CHECK(out.ci_high == 0.0); // an estimate has no interval
    CHECK(out.evidence.at("pairs") == std::to_string(c.pairs));
  }
}

TEST_CASE("a candidate whose rare slow calls take back its gain is measured again, and is not faster") {
  fake_pair processes;
  processes.time = [](timed_side who, size_t call) {
    return who == timed_side::baseline ? 1000.0 : call % 8 == 7 ? 1e6 : 500.0;
  };
  const auto out = outcome_of(processes, judge_mode::confirm, timing_rules{});
  CHECK(out.decision == comparison_decision::undecided);
  CHECK(out.estimate);
  CHECK(out.evidence.count("heavy_tail") == 1);
  CHECK(out.evidence.count("discarded.2") == 1); // judge_request::most_repeats
  CHECK(out.evidence.count("discarded.1.samples.n=1") == 1);
  CHECK(out.speedup < 0.95);
  CHECK(out.ci_low == doctest::Approx(out.speedup));
  CHECK(processes.sessions == 3);
  CHECK(processes.forgotten == 2);
}

TEST_CASE("a disturbed session is repeated; one that never calms down decides nothing") {
  session_noise stolen;
  stolen.wall_ns = 1e9;
  stolen.stolen_ns = 5e8;
  stolen.tick_ns = 1e7;
  for (const size_t sessions : {size_t{1}, size_t{9}}) {
    CAPTURE(sessions);
    fake_pair processes;
    processes.time = candidate_takes(900.0);
    processes.noise.assign(sessions, stolen);
    const auto out = outcome_of(processes, judge_mode::screening, timing_rules{});
    const bool calms_down = sessions == 1;
    CHECK(processes.sessions == (calms_down ? 2 : 3));
    CHECK(out.decision == (calms_down ? comparison_decision::faster : comparison_decision::undecided));
    CHECK(out.estimate == !calms_down);
    CHECK(out.evidence.count("disturbed") == (calms_down ? 0 : 1));
    CHECK(out.evidence.count("discarded.1") == 1);
  }
}
