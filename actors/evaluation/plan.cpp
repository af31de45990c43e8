#include "actors/evaluation/plan.hpp"

#include "backends/judge/figure.hpp"
#include "backends/judge/outcome_figures.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <charconv>

namespace kevolve {

namespace {

struct evaluation_key {
  evaluation_ground ground;
  id128 subject;
  std::string stage;
  id128 baseline;
  std::string settings; // the judge's settings, without the campaign's error budget
};

template <class I>
typename I::result_type inspect(I& f, evaluation_key& x) {
  return f(x.ground.task, x.ground.measure, x.ground.harness, x.ground.toolchain, x.ground.device, x.subject, x.stage,
           x.baseline, x.settings);
}

} // namespace

namespace {

// Returns true if the audit contradicts nothing: the intervals overlap. The narrower interval of a few pairs need not
// be the better one.
// A screening reads no outputs: it is compared with the figure without that read.
bool agrees(const evaluation& audited, const judge_outcome& audit) {
  const bool screened = outputs_of(audited.last).not_read.speedup == 0.0;
  const auto calls = outputs_of(audit).not_read;
  const speedup_interval now = screened && calls.speedup > 0.0 ? calls : speedup_interval{audit};
  return !audited.estimate && audited.ci_low > 0.0 && now.ci_low > 0.0 && now.ci_low <= audited.ci_high
         && audited.ci_low <= now.ci_high;
}

// Returns the natural log of the e-value for a gain; 0 if none was shown.
double gain_of(const judge_outcome& o) {
  auto text = o.evidence.find("log_e_faster");
  if (text == o.evidence.end() || o.decision != comparison_decision::faster)
    return 0.0;
  double out = 0.0;
  const auto* end = text->second.data() + text->second.size();
  return std::from_chars(text->second.data(), end, out).ec == std::errc{} ? out : 0.0;
}

// Returns the owner of a result that another campaign than the asking one has measured; zero if none is known.
result_owner foreign_owner(const evaluation_progress& p, const evaluation_record& record) {
  return record.measured_for.campaign == p.campaign ? result_owner{} : record.measured_for;
}

} // namespace

id128 reference_id(const std::string& reference, const std::string& oracle, const std::string& oracle_entry,
                   const std::string& module) {
  std::vector<std::string> texts{reference, oracle, oracle_entry};
  if (!module.empty()) // ids of tasks without one stay what they were
    texts.push_back(module);
  return derive_id("reference", encode(texts));
}

id128 evaluation_id(const evaluation_ground& ground, const id128& subject, stage s, const id128& baseline,
                    double parent_lead) {
  evaluation_key key{ground, subject, to_string(s), baseline, {}};
  if (is_build(s)) {
    // A compile does not depend on reference, judge, device or baseline.
    key.ground.measure = {};
    key.ground.harness.clear();
    key.ground.device.clear();
    if (ground.compile_limit_ms != compile_request{}.limit_ms) // another limit may give another verdict
      key.settings = std::to_string(ground.compile_limit_ms);
    key.baseline = {};
  } else {
    judge_request settings;
    ask_for(s, settings, 0.0);
    key.settings = encode(settings);
  }
  if (s == stage::screening && parent_lead > 0.0)
    key.settings += encode(parent_lead);
  if (ground.fresh_for)
    key.settings += encode(ground.fresh_for);
  return derive_id("evaluation", encode(key));
}

id128 object_id(const std::string& object_blob) {
  return derive_id("object", object_blob);
}

void ask_for(stage s, judge_request& request, double level) {
  if (s == stage::screening) {
    // A screening looks for gains that matter. Short calls get enough pairs to detect 5 % in 19 of 20 screenings. Long
    // calls are limited by time and leave a few percent to either side undecided.
    request.mode = judge_mode::screening;
    request.limit_ms = 60'000;
    request.max_pairs = 60;
    request.screening_ms = 1'500;
    request.screen_out = 1.08;
    return;
  }
  // Promotions chain through the champion, so each has its own part of the campaign's error budget. The judge's alpha
  // is two-sided; a promotion claims one side. The reported interval comes from the pairs of the final confirmation; an
  // audit only checks whether the figure is reproduced.
  request.mode = judge_mode::confirm;
  request.limit_ms = 180'000;
  request.alpha = s == stage::confirm ? 2.0 * level : 0.01;
  request.min_interval_pairs = s == stage::final_confirm ? 30 : s == stage::audit ? 4 : 12;
  request.max_pairs = s == stage::confirm ? 60 : 0;
  if (s == stage::final_confirm) { // the reported figure
    request.most_repeats = 5;
    request.long_run_ms = 1'000;
  }
}

double parent_lead(double parent_low, double baseline_speedup) {
  const auto lead = baseline_speedup > 0.0 ? parent_low / baseline_speedup : 0.0;
  return lead > 1.0 ? lead : 0.0;
}

void apply(evaluation_progress& p, stage s, const evaluation_record& record) {
  auto& r = p.result;
  const auto& o = record.outcome;
  if (record.evaluation)
    r.evaluations.push_back(record.evaluation);
  if (s == stage::compile) {
    p.compiled = true;
    r.compile_ns += record.wall_ns;
    r.object = record.object;
    p.built = o.evidence;
    if (o.result != verdict::pass) {
      r.set_verdict(o);
      r.reused_from = foreign_owner(p, record);
    } else if (p.compile_only) {
      r.detail = record.log;
      r.last.evidence = p.built;
    }
    return;
  }
  if (s == stage::sanitise) {
    p.sanitised = true;
    r.compile_ns += record.wall_ns;
    p.sanitised_object = record.object;
    if (o.result == verdict::pass)
      return;
    if (const auto word = o.evidence.find(evades_sanitizers); word != o.evidence.end()) {
      r.set_verdict(o);
      r.result = verdict::cheating;
      r.rule = rule_name::sanitizer_evasion;
      return;
    }
    p.unsanitised = "the candidate does not compile with sanitizers: " + o.detail.substr(0, o.detail.find('\n'));
    return;
  }
  r.judge_ns += o.judge_ns;
  r.set_verdict(o);
  const bool passes = o.result == verdict::pass;
  // An audit's few pairs do not replace the earlier figure if they agree with it.
  if (s == stage::audit && passes && agrees(r, o)) {
    r.last.evidence["audit"] = figure(o.speedup, 4) + "x, " + figure(o.ci_low, 4) + " to " + figure(o.ci_high, 4);
  } else {
    r.last = o;
    r.last.evidence.insert(p.built.begin(), p.built.end());
    r.set_speedup(o);
    r.reused_from = foreign_owner(p, record);
  }
  // A session that was never calm does not verify the figure, though it may show which is faster.
  const bool calm =
      !o.evidence.contains("disturbed") && !o.evidence.contains("weathered") && !o.evidence.contains("heavy_tail");
  if (s == stage::audit) { // an audit verifies the speed, not which is faster
    p.audited = true;
    r.verified = passes && calm;
    r.confirmed = r.confirmed && passes;
    r.confirmed_by += r.confirmed_by.empty() ? to_string(s) : "+" + to_string(s);
    return;
  }
  r.decision = o.decision;
  r.estimate = o.estimate;
  if (s == stage::screening) {
    p.compared = true;
    r.verified = o.rule == rule_name::same_object; // the baseline's code has been verified
    return;
  }
  p.confirmed = true;
  r.verified = passes && calm;
  r.confirmed_by = to_string(s);
  r.log_e = gain_of(o);
  // Confirmed means: correct on held-out shapes in fresh processes, the interval excludes "no gain", and the test
  // agrees at its level.
  const bool gained = s == stage::confirm && o.ci_low > 1.0 && o.decision == comparison_decision::faster;
  r.confirmed = passes && (s == stage::final_confirm || gained);
}

speedup_interval speedup_of(const evaluation& e, double baseline_speedup) {
  if (e.result != verdict::pass)
    return {};
  return {baseline_speedup * e.speedup, baseline_speedup * e.ci_low, baseline_speedup * e.ci_high};
}

} // namespace kevolve
