// The stages of an evaluation as passes, and the order that follows from what they read and make.
#include "actors/evaluation/job_graph.hpp"

#include <algorithm>

namespace kevolve {

namespace {

using kind = artefact_kind;

graph_pass evaluated(stage s, std::string summary, std::vector<kind> reads, std::vector<kind> makes, pass_use use,
                     double estimate_s, bool (*due)(const evaluation_progress&) = nullptr) {
  graph_pass p;
  p.name = to_string(s);
  p.summary = std::move(summary);
  p.reads = std::move(reads);
  p.makes = std::move(makes);
  p.use = use;
  p.counts = true;
  p.estimate_s = estimate_s;
  p.of_evaluation = s;
  p.due = due;
  return p;
}

bool compile_is_due(const evaluation_progress& p) {
  return !p.compiled;
}

bool screening_is_due(const evaluation_progress& p) {
  return !p.final_check && !p.compared;
}

bool confirm_is_due(const evaluation_progress& p) {
  return !p.final_check && !p.confirmed && p.result.decision == comparison_decision::faster;
}

bool final_is_due(const evaluation_progress& p) {
  return p.final_check && !p.confirmed;
}

bool audit_is_due(const evaluation_progress& p) {
  const bool surprise = p.audit_from > 0.0 && p.result.speedup >= p.audit_from;
  return !p.final_check && surprise && !p.result.verified && !p.audited;
}

// Returns the artefacts that the results so far have made. A target without sanitised replays needs no such build.
std::set<kind> made_by(const evaluation_progress& p) {
  std::set<kind> out{kind::source};
  if (!p.to_admit)
    out.insert(kind::admission);
  if (p.compiled)
    out.insert(kind::object);
  if (p.sanitised || !p.to_sanitise)
    out.insert(kind::sanitised_object);
  return out;
}

// Nothing is asked of a candidate that is only to be compiled, or has failed, once it is compiled.
bool has_ended(const evaluation_progress& p) {
  return p.compiled && (p.compile_only || (p.result.result != verdict::pass && p.result.result != verdict::none));
}

bool is_within(const graph_pass& p, stage s) {
  return std::find(p.within.begin(), p.within.end(), s) != p.within.end();
}

// Returns the stage's own inputs, and those of the passes that run in its session.
std::vector<kind> reads_with_inner(const graph_pass& p) {
  auto out = p.reads;
  for (const auto& inner : stage_passes())
    if (is_within(inner, *p.of_evaluation))
      out.insert(out.end(), inner.reads.begin(), inner.reads.end());
  return out;
}

// The replay has no session of its own: the judge runs it in that of a confirmation, between its checks and its pairs.
graph_pass sanitised_replay() {
  auto p = evaluated(stage::replay, "the calls again in a build with sanitizers, the reference's beside it",
                     {kind::object, kind::sanitised_object}, {kind::replay}, pass_use::core, 5.0);
  p.within = {stage::confirm, stage::final_confirm};
  return p;
}

} // namespace

const std::vector<graph_pass>& stage_passes() {
  static const std::vector<graph_pass> all{
      evaluated(stage::admit, "the reference itself: its draws, its assertions, its noise", {}, {kind::admission},
                pass_use::core, 10.0),
      evaluated(stage::compile, "the build that counts", {kind::source, kind::admission},
                {kind::object, kind::evidence}, pass_use::compiler, 1.0, compile_is_due),
      evaluated(stage::screening, "short paired comparison with the champion", {kind::object},
                {kind::verdict, kind::timings}, pass_use::core, 2.5, screening_is_due),
      evaluated(stage::confirm, "fresh processes, held-out shapes, new pairs", {kind::object},
                {kind::verdict, kind::timings}, pass_use::core, 10.0, confirm_is_due),
      evaluated(stage::final_confirm, "the reported figure against the reference", {kind::object},
                {kind::verdict, kind::timings}, pass_use::core, 30.0, final_is_due),
      evaluated(stage::audit, "a surprise, measured again", {kind::object}, {kind::verdict, kind::timings},
                pass_use::core, 10.0, audit_is_due),
      evaluated(stage::sanitise, "the build for the sanitised replay", {kind::source}, {kind::sanitised_object},
                pass_use::compiler, 2.0),
      sanitised_replay()};
  return all;
}

const graph_pass& pass_of(stage s) {
  for (const auto& p : stage_passes())
    if (p.of_evaluation == s)
      return p;
  static const graph_pass nothing;
  return nothing;
}

bool is_build(stage s) {
  return pass_of(s).use == pass_use::compiler;
}

bool replays_sanitised(stage s) {
  return is_within(pass_of(stage::replay), s);
}

stage next_stage(const evaluation_progress& p) {
  if (has_ended(p))
    return stage::done;
  const auto have = made_by(p);
  const auto& all = stage_passes();
  const auto wanted = std::find_if(all.begin(), all.end(), [&](const auto& x) { return x.due != nullptr && x.due(p); });
  if (wanted == all.end())
    return stage::done;
  for (const auto k : reads_with_inner(*wanted))
    if (!have.contains(k))
      for (const auto& maker : all)
        if (std::find(maker.makes.begin(), maker.makes.end(), k) != maker.makes.end())
          return *maker.of_evaluation;
  return *wanted->of_evaluation;
}

} // namespace kevolve
