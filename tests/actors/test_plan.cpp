#include "actors/evaluation/plan.hpp"

#include "backends/judge/outcome_figures.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

using namespace kevolve;

namespace {

evaluation_record outcome(verdict v, comparison_decision d = comparison_decision::undecided, double ci_low = 0.0) {
  evaluation_record r;
  r.evaluation = random_id();
  r.outcome.result = v;
  r.outcome.decision = d;
  r.outcome.speedup = 1.5;
  r.outcome.ci_low = ci_low;
  r.outcome.ci_high = 2.0;
  r.outcome.rule = "a rule";
  r.outcome.detail = "a detail";
  r.outcome.judge_ns = 7;
  r.object = "an object";
  r.wall_ns = 3;
  return r;
}

// Returns the stages of an evaluation, given the scripted end of each stage.
std::string path(bool final_check, const std::map<stage, evaluation_record>& script, evaluation* last = nullptr) {
  evaluation_progress p;
  p.final_check = final_check;
  std::string out;
  for (auto s = next_stage(p); s != stage::done; s = next_stage(p)) {
    out += to_string(s) + " ";
    apply(p, s, script.at(s));
  }
  if (last != nullptr)
    *last = p.result;
  return out;
}

const auto built = outcome(verdict::pass);

} // namespace

TEST_CASE("results decide how far an evaluation goes") {
  struct row {
    const char* name;
    bool final_check;
    std::map<stage, evaluation_record> script;
    const char* path;
    verdict result;
    bool confirmed;
  };
  auto faster = outcome(verdict::pass, comparison_decision::faster, 1.2);
  std::vector<row> rows{
      {"does not compile",
       false,
       {{stage::compile, outcome(verdict::compile_error)}},
       "compile ",
       verdict::compile_error,
       false},
      {"does not compile, final",
       true,
       {{stage::compile, outcome(verdict::compile_error)}},
       "compile ",
       verdict::compile_error,
       false},
      {"compiler ran out of time",
       false,
       {{stage::compile, outcome(verdict::timeout)}},
       "compile ",
       verdict::timeout,
       false},
      {"wrong",
       false,
       {{stage::compile, built}, {stage::screening, outcome(verdict::wrong_result)}},
       "compile race ",
       verdict::wrong_result,
       false},
      {"slower",
       false,
       {{stage::compile, built}, {stage::screening, outcome(verdict::pass, comparison_decision::slower)}},
       "compile race ",
       verdict::pass,
       false},
      {"screened",
       false,
       {{stage::compile, built}, {stage::screening, outcome(verdict::pass, comparison_decision::screened)}},
       "compile race ",
       verdict::pass,
       false},
      {"undecided",
       false,
       {{stage::compile, built}, {stage::screening, outcome(verdict::pass)}},
       "compile race ",
       verdict::pass,
       false},
      {"faster and confirmed",
       false,
       {{stage::compile, built}, {stage::screening, faster}, {stage::confirm, faster}},
       "compile race confirm ",
       verdict::pass,
       true},
      {"faster, but the interval includes no gain",
       false,
       {{stage::compile, built},
        {stage::screening, faster},
        {stage::confirm, outcome(verdict::pass, comparison_decision::faster, 0.99)}},
       "compile race confirm ",
       verdict::pass,
       false},
      {"faster, wrong on a held-out shape",
       false,
       {{stage::compile, built}, {stage::screening, faster}, {stage::confirm, outcome(verdict::wrong_result)}},
       "compile race confirm ",
       verdict::wrong_result,
       false},
      {"final",
       true,
       {{stage::compile, built}, {stage::final_confirm, outcome(verdict::pass, comparison_decision::slower, 0.5)}},
       "compile final ",
       verdict::pass,
       true},
      {"final, wrong",
       true,
       {{stage::compile, built}, {stage::final_confirm, outcome(verdict::crashed)}},
       "compile final ",
       verdict::crashed,
       false},
  };
  for (const auto& r : rows) {
    INFO(r.name);
    evaluation e;
    CHECK(path(r.final_check, r.script, &e) == r.path);
    CHECK(e.result == r.result);
    CHECK(e.confirmed == r.confirmed);
    CHECK(e.evaluations.size() == r.script.size());
  }
}

TEST_CASE("a surprise without a gain over the champion is audited once") {
  struct row {
    const char* name;
    double audit_from;
    evaluation_record screening;
    const char* path;
    bool verified;
  };
  const auto undecided = outcome(verdict::pass); // 1.5 times its baseline
  auto same = undecided;
  same.outcome.rule = rule_name::same_object;
  auto restless = undecided;
  restless.outcome.evidence["disturbed"] = "stolen time";
  auto restless_gain = outcome(verdict::pass, comparison_decision::faster, 1.2);
  restless_gain.outcome.evidence["disturbed"] = "stolen time";
  auto noisy_gain = outcome(verdict::pass, comparison_decision::faster, 1.2);
  noisy_gain.outcome.evidence["weathered"] = "stolen time";
  const std::vector<row> rows{
      {"below the threshold", 1.6, undecided, "compile race ", false},
      {"at the threshold", 1.5, undecided, "compile race audit ", true},
      {"no threshold", 0.0, undecided, "compile race ", false},
      {"wrong", 1.0, outcome(verdict::wrong_result), "compile race ", false},
      {"a gain is confirmed instead", 1.0, outcome(verdict::pass, comparison_decision::faster, 1.2),
       "compile race confirm ", true},
      {"the baseline's own code", 1.0, same, "compile race ", true},
      {"never calm", 1.0, restless, "compile race audit ", false},
      {"a gain, never calm", 1.0, restless_gain, "compile race confirm audit ", false},
      {"a gain that no noise turns", 1.0, noisy_gain, "compile race confirm audit ", false},
  };
  for (const auto& r : rows) {
    INFO(r.name);
    evaluation_progress p;
    p.audit_from = r.audit_from;
    std::string out;
    for (auto s = next_stage(p); s != stage::done; s = next_stage(p)) {
      out += to_string(s) + " ";
      apply(p, s, s == stage::compile ? built : r.screening);
    }
    CHECK(out == r.path);
    CHECK(p.result.verified == r.verified);
  }
}

TEST_CASE("a candidate is built with sanitizers before the confirmations alone, where the target replays it") {
  const auto faster = outcome(verdict::pass, comparison_decision::faster, 1.2);
  const std::map<stage, evaluation_record> script{{stage::compile, built},
                                                  {stage::screening, faster},
                                                  {stage::sanitise, built},
                                                  {stage::confirm, faster},
                                                  {stage::final_confirm, faster}};
  const auto path_of = [](evaluation_progress p, const std::map<stage, evaluation_record>& ends) {
    std::string out;
    for (auto s = next_stage(p); s != stage::done; s = next_stage(p)) {
      out += to_string(s) + " ";
      apply(p, s, ends.at(s));
    }
    return std::pair{out, p};
  };
  evaluation_progress p;
  CHECK(path_of(p, script).first == "compile race confirm ");
  p.to_sanitise = true;
  const auto [path, end] = path_of(p, script);
  CHECK(path == "compile race sanitise confirm ");
  CHECK(end.sanitised_object == "an object");
  CHECK(end.result.object == "an object");
  CHECK(end.result.compile_ns == 2 * built.wall_ns);
  auto slower = script;
  slower.at(stage::screening) = outcome(verdict::pass, comparison_decision::slower);
  CHECK(path_of(p, slower).first == "compile race ");
  p.final_check = true;
  CHECK(path_of(p, script).first == "compile sanitise final ");
}

TEST_CASE("a source that does not compile with sanitizers is marked, and one that escapes them is refused") {
  evaluation_progress p;
  p.to_sanitise = true;
  apply(p, stage::compile, built);
  apply(p, stage::screening, outcome(verdict::pass, comparison_decision::faster, 1.2));
  auto refused = outcome(verdict::compile_error);
  refused.object.clear();
  refused.outcome.detail = "too few registers\nmore";
  auto marked = p;
  apply(marked, stage::sanitise, refused);
  CHECK(marked.unsanitised == "the candidate does not compile with sanitizers: too few registers");
  CHECK(marked.result.result == verdict::pass);
  CHECK(next_stage(marked) == stage::confirm);
  refused.outcome.evidence[evades_sanitizers] = "__asan_init";
  apply(p, stage::sanitise, refused);
  CHECK(p.result.result == verdict::cheating);
  CHECK(p.result.rule == "sanitizer_evasion");
  CHECK(next_stage(p) == stage::done);
}

TEST_CASE("facts about the object stand beside the last stage's report, and no stage's report mixes with another's") {
  evaluation_progress p;
  auto compiled = built;
  compiled.outcome.evidence["sass"] = "[]";
  apply(p, stage::compile, compiled);
  auto compared = outcome(verdict::pass, comparison_decision::faster, 1.2);
  compared.outcome.evidence["pairs"] = "7";
  apply(p, stage::screening, compared);
  CHECK(p.result.last.evidence == std::map<std::string, std::string>{{"pairs", "7"}, {"sass", "[]"}});
  apply(p, stage::confirm, outcome(verdict::pass, comparison_decision::faster, 1.2));
  CHECK(p.result.last.evidence == std::map<std::string, std::string>{{"sass", "[]"}});
  evaluation_progress only;
  only.compile_only = true;
  apply(only, stage::compile, compiled);
  CHECK(only.result.last.evidence.contains("sass"));
}

TEST_CASE("an audit gives the speed-up and leaves the decision to the confirmation") {
  CHECK(against_reference(stage::final_confirm));
  CHECK(!against_reference(stage::audit));
  evaluation_progress p;
  apply(p, stage::compile, built);
  apply(p, stage::screening, outcome(verdict::pass, comparison_decision::faster, 1.2));
  auto confirmation = outcome(verdict::pass, comparison_decision::faster, 1.2);
  confirmation.outcome.evidence["log_e_faster"] = "5.25";
  apply(p, stage::confirm, confirmation);
  auto audit = outcome(verdict::pass, comparison_decision::undecided, 1.1);
  audit.outcome.speedup = 1.15;
  audit.outcome.ci_high = 1.19;
  apply(p, stage::audit, audit);
  CHECK(next_stage(p) == stage::done);
  CHECK(p.result.speedup == 1.15);
  CHECK(p.result.confirmed);
  CHECK(p.result.decision == comparison_decision::faster);
  CHECK(p.result.confirmed_by == "confirm+audit");
  CHECK(p.result.log_e == 5.25);
  apply(p, stage::audit, outcome(verdict::crashed));
  CHECK(!p.result.confirmed);
}

TEST_CASE("an audit that contradicts nothing leaves the figure with more pairs") {
  for (const auto& [low, high] : {std::pair{1.7, 1.81}, std::pair{0.5, 3.0}}) {
    evaluation_progress p;
    // Fast in one confirmation, slow in another.
    auto compared = outcome(verdict::pass, comparison_decision::undecided, 0.07);
    compared.outcome.ci_high = 1.73;
    auto audit = outcome(verdict::pass, comparison_decision::undecided, low);
    audit.outcome.speedup = 1.8;
    audit.outcome.ci_high = high;
    apply(p, stage::compile, built);
    apply(p, stage::screening, compared);
    apply(p, stage::audit, audit);
    CHECK(p.result.speedup == 1.5);
    CHECK(p.result.ci_low == 0.07);
    CHECK(p.result.ci_high == 1.73);
    CHECK(p.result.last.evidence.at("audit").starts_with("1.8x"));
  }
}

TEST_CASE("an audit's figures replace the screening's and claim no gain") {
  evaluation_progress p;
  p.audit_from = 1.0;
  auto screened = outcome(verdict::pass, comparison_decision::screened);
  screened.outcome.estimate = true;
  auto audit = outcome(verdict::pass, comparison_decision::faster, 1.2);
  audit.outcome.speedup = 1.1;
  apply(p, stage::compile, built);
  apply(p, stage::screening, screened);
  apply(p, stage::audit, audit);
  CHECK(p.result.speedup == 1.1);
  CHECK(p.result.verified);
  CHECK(p.result.confirmed_by == "audit");
  CHECK(!p.result.confirmed);
  CHECK(p.result.estimate);
}

TEST_CASE("a confirmation needs the test's decision and adds its e-value") {
  evaluation e;
  auto faster = outcome(verdict::pass, comparison_decision::faster, 1.2);
  auto confirmation = faster;
  confirmation.outcome.evidence["log_e_faster"] = "5.25";
  path(false, {{stage::compile, built}, {stage::screening, faster}, {stage::confirm, confirmation}}, &e);
  CHECK(e.confirmed);
  CHECK(e.log_e == 5.25);
  confirmation.outcome.decision = comparison_decision::undecided; // too few pairs, or every session was disturbed
  path(false, {{stage::compile, built}, {stage::screening, faster}, {stage::confirm, confirmation}}, &e);
  CHECK(!e.confirmed);
  CHECK(e.log_e == 0.0);
}

TEST_CASE("the stages' costs and figures end up in the evaluation") {
  evaluation e;
  auto faster = outcome(verdict::pass, comparison_decision::faster, 1.2);
  path(false, {{stage::compile, built}, {stage::screening, faster}, {stage::confirm, faster}}, &e);
  CHECK(e.compile_ns == 3);
  CHECK(e.judge_ns == 14);
  CHECK(e.object == "an object");
  CHECK(e.speedup == 1.5);
  CHECK(e.ci_low == 1.2);
  CHECK(e.ci_high == 2.0);
  CHECK(e.rule == "a rule");
  CHECK(e.last.judge_ns == 7);
}

TEST_CASE("an evaluation id depends on everything that determines the result, and on nothing else") {
  const evaluation_ground ground{{1, 2}, "harness", "toolchain", "device", reference_id("y = x;", "", "")};
  const id128 subject{3, 4};
  const id128 baseline{5, 6};
  struct change {
    const char* name;
    evaluation_ground ground;
    id128 subject;
    id128 baseline;
    bool of_compile; // whether it changes the id of a compile
    bool of_judge;
  };
  auto with = [&](auto set) {
    auto g = ground;
    set(g);
    return g;
  };
  std::vector<change> changes{
      {"nothing", ground, subject, baseline, false, false},
      {"task", with([](auto& g) { g.task = {9, 9}; }), subject, baseline, true, true},
      {"reference", with([](auto& g) { g.measure = reference_id("y = 2 * x;", "", ""); }), subject, baseline, false,
       true},
      {"oracle", with([](auto& g) { g.measure = reference_id("y = x;", "y = x;", "f"); }), subject, baseline, false,
       true},
      {"module", with([](auto& g) { g.measure = reference_id("y = x;", "", "", "module"); }), subject, baseline, false,
       true},
      {"toolchain", with([](auto& g) { g.toolchain = "other"; }), subject, baseline, true, true},
      {"harness", with([](auto& g) { g.harness = "other"; }), subject, baseline, false, true},
      {"device", with([](auto& g) { g.device = "other"; }), subject, baseline, false, true},
      {"subject", ground, {9, 9}, baseline, true, true},
      {"baseline", ground, subject, {9, 9}, false, true},
      {"campaign that measures anew", with([](auto& g) { g.fresh_for = {9, 9}; }), subject, baseline, true, true},
  };
  std::set<id128> stages;
  for (auto s :
       {stage::compile, stage::screening, stage::confirm, stage::final_confirm, stage::audit, stage::sanitise}) {
    auto id = evaluation_id(ground, subject, s, baseline);
    stages.insert(id);
    for (const auto& c : changes) {
      INFO(to_string(s) << ", other " << c.name);
      auto differs = is_build(s) ? c.of_compile : c.of_judge;
      CHECK((evaluation_id(c.ground, c.subject, s, c.baseline) != id) == differs);
    }
  }
  CHECK(stages.size() == 6);
}

TEST_CASE("texts of a reference and its module that join to the same have ids of their own") {
  CHECK(reference_id("ab", "", "", "c") != reference_id("a", "", "", "bc"));
  CHECK(reference_id("a", "", "", "") != reference_id("a", "", "", "b"));
}

TEST_CASE("a verdict and figures that another campaign measured are marked, until this one measures its own") {
  const id128 own{1, 1};
  const result_owner other{{2, 2}, 5};
  const auto measured = [](evaluation_record r, const result_owner& owner) {
    r.measured_for = owner;
    return r;
  };
  const auto faster = outcome(verdict::pass, comparison_decision::faster, 1.2);
  const auto compiled = measured(built, other);
  const auto ends = [&](const std::vector<std::pair<stage, evaluation_record>>& stages) {
    evaluation_progress p;
    p.campaign = own;
    for (const auto& [s, record] : stages)
      apply(p, s, record);
    return p.result.reused_from;
  };
  CHECK_FALSE(ends({{stage::compile, compiled}})); // an object is no verdict
  CHECK(ends({{stage::compile, measured(outcome(verdict::compile_error), other)}}) == other);
  CHECK(ends({{stage::compile, compiled}, {stage::screening, measured(faster, other)}}) == other);
  CHECK_FALSE(ends({{stage::compile, compiled}, {stage::screening, measured(faster, {own, 7})}}));
  CHECK_FALSE(ends({{stage::compile, compiled}, {stage::screening, faster}})); // of an earlier version
  CHECK_FALSE(ends({{stage::screening, measured(faster, other)}, {stage::confirm, measured(faster, {own, 7})}}));
  CHECK(ends({{stage::screening, measured(faster, {own, 7})}, {stage::confirm, measured(faster, other)}}) == other);
}

TEST_CASE("the end of a campaign that version 2 stored is read, without baselines") {
  finish_record r;
  r.best = 3;
  r.set_speedup({2.0, 1.9, 2.1});
  auto bytes = encode(r);
  bytes.resize(bytes.size() - encode(baseline_figures{}).size()); // version 2 ends before them
  const auto read = decode_older<finish_record>(bytes);
  REQUIRE(read);
  CHECK(read->best == 3);
  CHECK(read->speedup == 2.0);
  CHECK(read->baselines.empty());
}

TEST_CASE("a result that an earlier version stored names no campaign") {
  auto record = outcome(verdict::pass);
  record.harness = "harness";
  auto bytes = encode(record);
  bytes.resize(bytes.size() - encode(result_owner{}).size()); // version 1 ends before it
  const auto read = decode_older<evaluation_record>(bytes);
  REQUIRE(read);
  CHECK(read->harness == "harness");
  CHECK(read->wall_ns == 3);
  CHECK_FALSE(read->measured_for);
}

TEST_CASE("candidates that compile to the same object share their verdict") {
  const evaluation_ground ground{{1, 2}, "harness", "toolchain", "device", reference_id("y = x;", "", "")};
  CHECK(evaluation_id(ground, object_id("same"), stage::screening, {})
        == evaluation_id(ground, object_id("same"), stage::screening, {}));
  CHECK(evaluation_id(ground, object_id("same"), stage::screening, {})
        != evaluation_id(ground, object_id("other"), stage::screening, {}));
}

TEST_CASE("the score is the baseline's speed-up times the ratio, and 0 unless it passed") {
  evaluation e;
  e.result = verdict::pass;
  e.speedup = 1.5;
  e.ci_low = 1.25;
  e.ci_high = 2.0;
  auto s = speedup_of(e, 4.0);
  CHECK(s.speedup == 6.0);
  CHECK(s.ci_low == 5.0);
  CHECK(s.ci_high == 8.0);
  for (auto v : {verdict::none, verdict::wrong_result, verdict::cheating, verdict::faster_than_physics}) {
    e.result = v;
    auto none = speedup_of(e, 4.0);
    CHECK(none.speedup == 0.0);
    CHECK(none.ci_high == 0.0);
  }
}

TEST_CASE("a screening has enough pairs to detect five percent, a confirmation spends less of the error budget") {
  judge_request screening;
  ask_for(stage::screening, screening);
  CHECK(screening.mode == judge_mode::screening);
  CHECK(screening.max_pairs >= 60);
  judge_request promotion;
  ask_for(stage::confirm, promotion, 0.01);
  CHECK(promotion.mode == judge_mode::confirm);
  CHECK(promotion.alpha == 0.02); // for both sides together; the claimed side has the level
  CHECK(promotion.min_interval_pairs >= 12);
  CHECK(promotion.max_pairs > promotion.min_interval_pairs);
  judge_request audit;
  ask_for(stage::audit, audit, 0.01);
  CHECK(audit.mode == judge_mode::confirm);
  CHECK(audit.min_interval_pairs < promotion.min_interval_pairs);
  judge_request last;
  ask_for(stage::final_confirm, last);
  CHECK(last.min_interval_pairs >= 30);
  CHECK(promotion.long_run_ms == 100); // for a champion; the last confirmation precedes the handing out
  CHECK(last.long_run_ms == 1'000);
}

TEST_CASE("an audit agrees with a screening by the calls alone, which is what a screening times") {
  const auto audited_with = [](double not_read, double read) {
    evaluation_progress p;
    auto screened = evaluation_record{};
    screened.outcome.result = verdict::pass;
    screened.outcome.decision = comparison_decision::faster;
    screened.outcome.set_speedup({2.0, 1.9, 2.1});
    apply(p, stage::screening, screened);
    auto audit = evaluation_record{};
    audit.outcome.result = verdict::pass;
    const speedup_interval calls{not_read, not_read - 0.1, not_read + 0.1};
    const speedup_interval with_read{read, read - 0.1, read + 0.1};
    audit.outcome.set_speedup(with_read); // the headline is the lower one
    note_outputs(audit.outcome, {calls, with_read});
    apply(p, stage::audit, audit);
    return p.result.speedup;
  };
  CHECK(audited_with(2.05, 1.2) == 2.0); // the screening's figure stands
  CHECK(audited_with(1.5, 1.2) == 1.2);
}
