// The paired comparison and its timing loop on processes that are none: what is dealt, in what order, and when it ends.
#include "backends/judge/outcome_figures.hpp"
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
  std::function<double(timed_side)> read_time; // of a call's outputs; null: they are not read
  size_t disturbed_calls = 0;                  // the first so many timed calls of the candidate
  std::vector<session_noise> noise;            // of each session in turn; then calm
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
    const auto ns = time(who, number);
    return timed_call{ns, who == timed_side::candidate && number < disturbed_calls,
                      read_time ? ns + read_time(who) : 0.0};
  }
  void forget_samples() override { ++forgotten; }
  session_noise end_session(const session_counts& counts, std::map<std::string, std::string>& /*evidence*/) override {
    CHECK(counts.repeated == sessions);
    return sessions++ < noise.size() ? noise[sessions - 1] : session_noise{};
  }
};

// Device rules are those without an exception for short calls.
constexpr timing_rules strict_rules{2, std::chrono::milliseconds{0}, 0.0, std::chrono::milliseconds{0}, false, 5};

judge_request request_of(judge_mode mode) {
  judge_request request;
  request.mode = mode;
  request.screening_ms = 60'000;
  request.min_interval_pairs = 12;
  return request;
}

judge_outcome outcome_of(fake_pair& processes, const judge_request& request, const timing_rules& rules) {
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

judge_outcome outcome_of(fake_pair& processes, judge_mode mode, const timing_rules& rules) {
  return outcome_of(processes, request_of(mode), rules);
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

TEST_CASE("a candidate surely slower than its parent is screened out although it is as fast as the baseline") {
  fake_pair processes;
  // It is as fast as the baseline but for a noise of 2 %: undecided without the parent.
  processes.time = [](timed_side who, size_t k) {
    return who == timed_side::baseline ? 1000.0 : k % 2 == 0 ? 980.0 : 1020.0;
  };
  timing_rules patient;
  patient.short_calls = std::chrono::hours{1};
  auto request = request_of(judge_mode::screening);
  const auto alone = outcome_of(processes, request, patient);
  CHECK(alone.decision == comparison_decision::undecided);
  CHECK(alone.evidence.at("pairs") == "60");
  CHECK(alone.speedup == doctest::Approx(1.0).epsilon(0.03));
  request.parent_lead = 1.05; // within what the first pairs tell
  fake_pair again;
  again.time = processes.time;
  const auto out = outcome_of(again, request, patient);
  CHECK(out.decision == comparison_decision::screened);
  CHECK(out.estimate);
  CHECK(out.evidence.at("pairs") == "7");
  CHECK(out.evidence.at("stopped")
        == "slower than its parent, which is at least 1.05 times as fast as the baseline, after 7 pairs");
  request.parent_lead = 1.5; // beyond it
  fake_pair third;
  third.time = processes.time;
  CHECK(outcome_of(third, request, patient).evidence.at("pairs") == "5");
}

TEST_CASE("the parent's lead hides no gain over the baseline that its pairs show first") {
  fake_pair processes;
  processes.time = candidate_takes(500.0);
  auto request = request_of(judge_mode::screening);
  request.parent_lead = 1.5;
  const auto out = outcome_of(processes, request, timing_rules{});
  CHECK(out.decision == comparison_decision::faster);
}

TEST_CASE("a disturbed pair that a lost slice cannot turn is not repeated in a screening") {
  const auto far_ahead = [](timed_side who, size_t) { return who == timed_side::candidate ? 50e6 : 350e6; };
  for (const bool accepts : {false, true}) {
    fake_pair processes;
    processes.time = far_ahead;
    processes.disturbed_calls = 2;
    correctness_report report;
    paired_comparison comparison{processes, 0.005, report};
    comparison.add_shape(sets_of("a", 16), 0.0);
    if (accepts)
      comparison.take_disturbed_beyond(3.0);
    REQUIRE(comparison.pair(0));
    CHECK(comparison.disturbed() == (accepts ? 0 : 2));
  }
  fake_pair screened;
  screened.time = far_ahead;
  screened.disturbed_calls = 2;
  outcome_of(screened, judge_mode::screening, timing_rules{});
  CHECK(screened.timed[timed_side::candidate] == 3);
}

TEST_CASE("a candidate far ahead of slow calls is confirmed after three pairs") {
  for (const double baseline_ns : {350e6, 90e6}) {
    CAPTURE(baseline_ns);
    fake_pair processes;
    processes.time = [baseline_ns](timed_side who, size_t) {
      return who == timed_side::candidate ? baseline_ns / 2 : baseline_ns;
    };
    const auto out = outcome_of(processes, judge_mode::screening, timing_rules{});
    CHECK(out.decision == comparison_decision::faster);
    CHECK(out.evidence.at("pairs") == (baseline_ns > 100e6 ? "3" : "9"));
  }
  fake_pair slightly;
  slightly.time = [](timed_side who, size_t) { return who == timed_side::candidate ? 300e6 : 350e6; };
  CHECK(outcome_of(slightly, judge_mode::screening, timing_rules{}).evidence.at("pairs") == "9");
}

TEST_CASE(
    "a promotion against slow calls ends with its test if the candidate is far ahead, and the last one does not") {
  const auto pairs = [](double baseline_ns, double candidate_ns, uint32_t least) {
    fake_pair processes;
    processes.time = [=](timed_side who, size_t) { return who == timed_side::candidate ? candidate_ns : baseline_ns; };
    auto request = request_of(judge_mode::confirm);
    request.min_interval_pairs = least;
    const auto out = outcome_of(processes, request, timing_rules{});
    CHECK(out.decision == comparison_decision::faster);
    return out.timings.at(0).candidate_ns.size();
  };
  CHECK(pairs(350e6, 100e6, 12) == 8);  // at this alpha; never fewer than six
  CHECK(pairs(350e6, 300e6, 12) == 12); // ahead, but not far
  CHECK(pairs(90e6, 30e6, 12) == 12);   // the baseline is not slow
  CHECK(pairs(350e6, 100e6, 30) >= 30); // the figure that people see
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

TEST_CASE("the last confirmation is held in sessions of fresh processes, and its interval includes their spread") {
  auto request = request_of(judge_mode::confirm);
  request.min_interval_pairs = 30;
  request.max_pairs = 0;
  timing_rules rules;
  rules.time_for_people = std::chrono::milliseconds{0};
  fake_pair processes;
  // Each pair of processes draws another speed: 1.9, 1.95, 2.0, … times the baseline's.
  processes.time = [&](timed_side who, size_t) {
    return who == timed_side::baseline ? 1000.0 : 1000.0 / (1.85 + 0.05 * static_cast<double>(processes.launches));
  };
  const auto out = outcome_of(processes, request, rules);
  const auto basis = basis_of(out);
  CHECK(basis.sessions == 5);
  CHECK(basis.pairs == 30);
  CHECK(basis.coverage == doctest::Approx(0.95));
  CHECK(processes.launches == 5);     // sixteen sets would have served fifteen pairs
  CHECK(processes.warm_ups == 2 * 6); // the held-out shape has one session
  CHECK(out.speedup == doctest::Approx(2.0));
  CHECK(out.ci_low < 1.95); // the pairs of all sessions alone give 1.95 to 2.05
  CHECK(out.ci_high > 2.05);

  fake_pair within;
  rules.final_sessions = 1;
  const auto one = outcome_of(within, request, rules);
  CHECK(basis_of(one).sessions == 1);
  CHECK(basis_of(one).coverage == doctest::Approx(0.9572).epsilon(0.001));

  fake_pair promotion;
  const auto short_of = outcome_of(promotion, judge_mode::confirm, timing_rules{});
  CHECK(basis_of(short_of).sessions == 1);
  CHECK(basis_of(short_of).pairs == 12);
}

TEST_CASE("the headline of a confirmation is the lower of the figures with outputs read and not read") {
  fake_pair processes;
  processes.time = candidate_takes(500.0);
  // The candidate leaves its outputs in memory, the baseline in the caches.
  processes.read_time = [](timed_side who) { return who == timed_side::candidate ? 600.0 : 100.0; };
  const auto out = outcome_of(processes, judge_mode::confirm, timing_rules{});
  CHECK(out.decision == comparison_decision::faster); // the calls alone decide
  CHECK(outputs_of(out).not_read.speedup == doctest::Approx(2.0));
  CHECK(outputs_of(out).read.speedup == doctest::Approx(1.0));
  CHECK(out.evidence.at("outputs.headline") == "read");
  CHECK(out.speedup == doctest::Approx(1.0));
  CHECK(out.ci_high == doctest::Approx(1.0));
  CHECK(read_figure_of(out, "n=1").speedup == doctest::Approx(1.0));
  CHECK(out.timings[0].speedup == doctest::Approx(2.0)); // of the samples that stand beside it

  auto request = request_of(judge_mode::confirm);
  request.task.timing.outputs_not_read = true;
  fake_pair unread;
  unread.time = processes.time;
  unread.read_time = processes.read_time;
  const auto told = outcome_of(unread, request, timing_rules{});
  CHECK(told.evidence.at("outputs.headline") == "not_read");
  CHECK(told.speedup == doctest::Approx(2.0));
  CHECK(outputs_of(told).read.speedup == doctest::Approx(1.0)); // reported all the same

  fake_pair slow_reader;
  slow_reader.time = processes.time;
  slow_reader.read_time = [](timed_side who) { return who == timed_side::candidate ? 0.5 : 500.0; };
  const auto higher = outcome_of(slow_reader, judge_mode::confirm, timing_rules{});
  CHECK(higher.evidence.at("outputs.headline") == "not_read");
  CHECK(higher.speedup == doctest::Approx(2.0));

  fake_pair device;
  device.time = processes.time;
  const auto without = outcome_of(device, judge_mode::confirm, strict_rules);
  CHECK(without.evidence.at("outputs.note").find("not applicable") != std::string::npos);
  CHECK(outputs_of(without).read.speedup == 0.0);
  CHECK(without.speedup == doctest::Approx(2.0));
}

TEST_CASE("a screening that leans to a gain goes on beyond its usual time, and names the limit that ends another") {
  auto request = request_of(judge_mode::screening);
  request.screening_ms = 0; // long ago, however fast this machine is
  fake_pair faster;
  faster.time = candidate_takes(1000.0 / 1.14);
  const auto won = outcome_of(faster, request, timing_rules{});
  CHECK(won.decision == comparison_decision::faster);
  CHECK(won.evidence.count("stopped") == 0);
  CHECK(basis_of(won).pairs > 2);

  fake_pair disturbed; // its second pair says the opposite
  disturbed.time = [](timed_side who, size_t call) {
    return who == timed_side::baseline ? 1000.0 : call == 1 ? 1500.0 : 1000.0 / 1.14;
  };
  CHECK(outcome_of(disturbed, request, timing_rules{}).decision == comparison_decision::faster);

  fake_pair equal;
  const auto same = outcome_of(equal, request, timing_rules{});
  CHECK(same.decision == comparison_decision::undecided);
  CHECK(basis_of(same).pairs == 2);
  CHECK(same.evidence.at("stopped").find("undecided after 2 pairs: they do not lean to a gain") == 0);
}

TEST_CASE("where few sets fit into memory, pairs go on over the same ones with fresh values") {
  fake_pair processes;
  correctness_report report;
  paired_comparison comparison{processes, 0.005, report};
  auto few = sets_of("large", 4);
  const auto inputs = std::const_pointer_cast<input_sets>(few);
  inputs->memory_bound = true;
  comparison.add_shape(few, 0.0);
  std::vector<size_t> redrawn;
  uint64_t number = 1'000'000;
  comparison.redraw_with([&](size_t, size_t set) -> attempt<void> {
    redrawn.push_back(set);
    inputs->sets[set].number = ++number;
    return {};
  });
  REQUIRE(comparison.pair(0)); // and the warm-up
  REQUIRE(comparison.pair(0));
  comparison.use_fresh_values(true);
  for (int k = 2; k < 40; ++k)
    REQUIRE(comparison.pair(0)); // the fake fails the test if a process meets values twice
  CHECK(processes.launches == 1);
  CHECK(redrawn.size() == 40 + 1 - 4); // the warm-up took a set, too
  CHECK(comparison.redrawn() == redrawn.size());
  CHECK(std::set<size_t>(redrawn.begin(), redrawn.end()).size() == 4);
  comparison.begin_session();
  REQUIRE(comparison.pair(0));
  CHECK(processes.launches == 2); // fresh processes meet the sets as they are
  CHECK(comparison.redrawn() == redrawn.size());

  comparison.use_fresh_values(false); // fresh processes are cheaper, and pairs that do not go on have them
  for (int k = 0; k < 6; ++k)
    REQUIRE(comparison.pair(0));
  CHECK(processes.launches == 4);

  // Drawing on a device costs less than fresh processes: such sets get fresh values for every pair.
  for (auto& set : inputs->sets)
    set.remote = std::make_shared<remote_arrays>();
  const auto before = redrawn.size();
  for (int k = 0; k < 6; ++k)
    REQUIRE(comparison.pair(0));
  CHECK(processes.launches == 4);
  CHECK(redrawn.size() > before);
  for (auto& set : inputs->sets)
    set.remote.reset();

  comparison.use_fresh_values(true);
  inputs->memory_bound = false; // a slow reference: more sets would fit
  for (int k = 0; k < 4; ++k)
    REQUIRE(comparison.pair(0));
  CHECK(processes.launches > 4);
  CHECK(comparison.redrawn() == redrawn.size());
}
