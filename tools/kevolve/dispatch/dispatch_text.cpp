#include "tools/kevolve/dispatch/dispatch_text.hpp"

#include "backends/judge/outcome_figures.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/interval_text.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace kevolve {

namespace {

std::string name_of(const judged_kernels& k, const dispatch::choice& c) {
  return c ? "candidate " + std::to_string(k.kernels[*c].node) : "reference";
}

json node_or_null(const judged_kernels& k, const dispatch::choice& c) {
  return c ? json(k.kernels[*c].node) : json(nullptr);
}

json regression_json(const dispatch::regression_test& t, const dispatch::regression_rule& rule) {
  return {{"result", dispatch::to_string(t.result)},
          {"pairs", t.pairs},
          {"margin", rule.margin},
          {"confidence", rule.confidence}};
}

std::string rule_text(const dispatch::regression_rule& rule) {
  return fmt::format("margin {:g} %, one-sided sign test, confidence {:g} %", 100.0 * rule.margin,
                     100.0 * rule.confidence);
}

// Returns the place of a shape relative to the task's own.
const char* use_of(const dispatch_result& r, const contract& task, size_t shape) {
  if (shape < r.own_shapes)
    return task.shapes[shape].held_out ? "held out" : "declared";
  return shape + r.probes < task.shapes.size() ? "between" : "beyond";
}

json single_json(const dispatch_result& r, const json& interval) {
  const auto& k = r.kernels;
  return {{"candidate", k.kernels[r.single.kernel].node},
          {"speedup", k.judgements[r.single.kernel].outcome.speedup},
          {"dispatcher_against_it",
           {{"speedup", r.single.speedup}, {"ci95", interval}, {"test", regression_json(r.single.test, r.rule)}}}};
}

json interval_or_null(double low, double high) {
  return high > 0 ? json{low, high} : json(nullptr);
}

// Returns why all sessions were disturbed; empty if one was not.
std::string disturbance_of(const dispatch::judgement& j) {
  const auto seen = j.outcome.evidence.find("disturbed");
  return seen == j.outcome.evidence.end() ? "" : seen->second;
}

} // namespace

json dispatch_json(const dispatch_result& r, const contract& task) {
  auto kernels = json::array();
  for (auto k : dispatch::kernels_in(r.proof.where))
    kernels.push_back({{"candidate", r.kernels.kernels[k].node},
                       {"node", r.kernels.kernels[k].node},
                       {"summary", r.kernels.kernels[k].summary}});
  auto refused = json::array();
  for (const auto& x : r.kernels.refused)
    refused.push_back({{"candidate", x.node}, {"node", x.node}, {"reason", x.why}});
  auto not_outside = json::array();
  for (const auto& x : r.kernels.not_outside)
    not_outside.push_back({{"candidate", x.node}, {"reason", x.why}});
  auto alone = json::array();
  for (size_t k = 0; k < r.kernels.kernels.size(); ++k) {
    auto figures = json::array();
    for (const auto& f : r.kernels.judgements[k].by_shape)
      figures.push_back({{"speedup", dispatch::is_timed(f) ? json(f.speedup) : json(nullptr)},
                         {"ci95", interval_or_null(f.low, f.high)},
                         {"against_reference", regression_json(f.against_reference, r.rule)}});
    alone.push_back({{"candidate", r.kernels.kernels[k].node},
                     {"node", r.kernels.kernels[k].node},
                     {"speedup", r.kernels.judgements[k].outcome.speedup},
                     {"shapes", std::move(figures)}});
  }
  auto rows = json::array();
  for (const auto& x : dispatch::rows_of(r.proof.where))
    rows.push_back({{"when", x.when},
                    {"candidate", node_or_null(r.kernels, x.kernel)},
                    {"node", node_or_null(r.kernels, x.kernel)}});
  auto shapes = json::array();
  auto between = json::array();
  auto beyond = json::array();
  for (size_t s = 0; s < task.shapes.size(); ++s) {
    const auto& f = r.proof.judged.by_shape[s];
    json said{{"shape", task.shapes[s].name},
              {"candidate", node_or_null(r.kernels, r.proof.runs[s])},
              {"node", node_or_null(r.kernels, r.proof.runs[s])},
              {"speedup", dispatch::is_timed(f) ? json(f.speedup) : json(nullptr)},
              {"ci95", interval_or_null(f.low, f.high)},
              {"slower", dispatch::is_inferior(f)},
              {"against_reference", regression_json(f.against_reference, r.rule)}};
    if (s < r.own_shapes)
      said["held_out"] = task.shapes[s].held_out;
    (s < r.own_shapes ? shapes : s + r.probes < task.shapes.size() ? between : beyond).push_back(std::move(said));
  }
  const auto& j = r.proof.judged;
  return {{"campaign", r.campaign},
          {"task", task.name},
          {"flags", r.flags},
          {"holds", r.proof.holds()},
          {"margin", r.rule.margin},
          {"confidence", r.rule.confidence},
          {"handed_out", !r.proof.holds()       ? json(nullptr)
                         : r.hands_out_single() ? "candidate"
                                                : "dispatcher"},
          {"fastest_alone",
           r.proof.holds() ? single_json(r, interval_or_null(r.single.ci_low, r.single.ci_high)) : json(nullptr)},
          {"detail", j.why},
          {"speedup", j.passes ? json(j.outcome.speedup) : json(nullptr)},
          {"ci95", j.passes ? interval_or_null(j.outcome.ci_low, j.outcome.ci_high) : json(nullptr)},
          {"disturbed", or_null(disturbance_of(j))},
          {"rounds", r.proof.rounds},
          {"kernels", std::move(kernels)},
          {"judged_alone", std::move(alone)},
          {"refused", std::move(refused)},
          {"not_outside", std::move(not_outside)},
          {"regions", std::move(rows)},
          {"shapes", std::move(shapes)},
          {"between", std::move(between)},
          {"beyond", std::move(beyond)},
          {"out", or_null(r.out)},
          {"bundle", or_null(r.bundle)},
          {"source", r.source()}};
}

std::string dispatch_text(const dispatch_result& r, const contract& task) {
  const auto used = dispatch::kernels_in(r.proof.where).size();
  auto out = fmt::format("{}: {} and the reference, flag set {}\n\n", printable(task.name),
                         human_number(used, "kernel"), printable(r.flags));
  std::vector<std::vector<std::string>> regions{{"SIZES", "RUNS"}};
  for (const auto& x : dispatch::rows_of(r.proof.where))
    regions.push_back({x.when, name_of(r.kernels, x.kernel)});
  out += table_text(regions) + "\n";
  for (const auto& x : r.kernels.refused)
    out += fmt::format("candidate {} takes no part: {}\n", x.node, printable(x.why));
  for (const auto& x : r.kernels.not_outside)
    out += fmt::format("candidate {} does not run beyond the task's sizes: {}\n", x.node, printable(x.why));
  if (!r.kernels.refused.empty() || !r.kernels.not_outside.empty())
    out += "\n";
  const auto& j = r.proof.judged;
  if (!j.passes)
    return out + "the dispatcher is refused by the judge: " + printable(j.why) + "\n";
  std::vector<std::vector<std::string>> shapes{
      {"SHAPE", "USE", "RUNS", "SPEEDUP", "INTERVAL", "PAIRS", "AGAINST THE REFERENCE"}};
  size_t shown = 0;
  for (size_t s = 0; s < task.shapes.size(); ++s) {
    const auto& f = j.by_shape[s];
    shown += dispatch::is_not_inferior(f) ? 1U : 0U;
    shapes.push_back(
        {printable(task.shapes[s].name), use_of(r, task, s), name_of(r.kernels, r.proof.runs[s]),
         dispatch::is_timed(f) ? human_speedup(f.speedup) : "-",
         dispatch::is_timed(f) ? fmt::format("{:.3f} to {:.3f}", f.low, f.high) : "not timed",
         std::to_string(f.against_reference.pairs),
         fmt::format("{} (margin {:g} %)", dispatch::to_string(f.against_reference.result), 100.0 * r.rule.margin)});
  }
  out += table_text(shapes);
  out += fmt::format("\nspeedup {}, {}; judged in {}\n", human_speedup(j.outcome.speedup),
                     interval_sentence(j.outcome, basis_of(j.outcome)), human_number(r.proof.rounds, "round"));
  if (const auto why = disturbance_of(j); !why.empty())
    out += disturbed_text(why);
  out += fmt::format("not inferior to the reference on {} of {} ({}); where that is not shown, the reference runs\n",
                     shown, human_number(task.shapes.size(), "shape"), rule_text(r.rule));
  if (!r.proof.holds()) {
    for (auto s : r.proof.slower)
      out += fmt::format("{}: {}: not written\n", printable(task.shapes[s].name),
                         dispatch::to_string(j.by_shape[s].against_reference.result));
    return out;
  }
  const auto alone = r.kernels.kernels[r.single.kernel].node;
  out += fmt::format("against candidate {} alone, the fastest kernel ({} the reference): {}, interval {:.3f} to "
                     "{:.3f}, {}: {}\n",
                     alone, human_speedup(r.kernels.judgements[r.single.kernel].outcome.speedup),
                     human_speedup(r.single.speedup), r.single.ci_low, r.single.ci_high,
                     human_number(r.single.test.pairs, "pair"), dispatch::to_string(r.single.test.result));
  if (r.hands_out_single())
    out += fmt::format("the dispatcher loses to candidate {} alone, so that kernel is handed out\n", alone);
  for (const auto& written : {r.out, r.bundle})
    out += written.empty() ? "" : printable(written) + " is written\n";
  return out;
}

} // namespace kevolve
