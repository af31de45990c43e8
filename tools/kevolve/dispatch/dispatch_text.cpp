#include "tools/kevolve/dispatch/dispatch_text.hpp"

#include "backends/judge/outcome_figures.hpp"
#include "backends/judge/sequential_test.hpp"
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

std::string shapes_text(const dispatch_result& r, const handed_out& file, const contract& task) {
  std::vector<std::vector<std::string>> rows{
      {"SHAPE", "USE", "RUNS", "SPEEDUP, CALLS ALONE", "INTERVAL", "COVERAGE", "PAIRS", "AGAINST THE REFERENCE"}};
  for (size_t s = 0; s < task.shapes.size(); ++s) {
    const auto& f = file.judged->by_shape[s];
    const auto pairs = f.against_reference.pairs;
    const bool timed = dispatch::is_timed(f);
    rows.push_back({printable(task.shapes[s].name), use_of(r, task, s), name_of(r.kernels, file.runs[s]),
                    timed ? human_speedup(f.speedup) : "-",
                    timed ? fmt::format("{:.3f} to {:.3f}", f.low, f.high) : "not timed",
                    coverage_text({timed ? coverage_of_median(pairs) : 0.0, static_cast<uint32_t>(pairs), f.sessions}),
                    std::to_string(pairs), dispatch::to_string(f.against_reference.result)});
  }
  return table_text(rows);
}

// Returns what was concluded against the fastest kernel alone.
std::string single_text(const dispatch_result& r) {
  const auto alone = r.kernels.kernels[r.single.kernel].node;
  auto out = fmt::format("the dispatcher against candidate {} alone, the fastest kernel ({} the reference): {}, calls "
                         "alone, {}: {}\n",
                         alone, human_speedup(r.kernels.judgements[r.single.kernel].outcome.speedup),
                         human_speedup(r.single.speedup), interval_sentence(r.single, r.single.basis),
                         dispatch::to_string(r.single.test.result));
  if (r.hands_out_single())
    out += fmt::format("the dispatcher loses to candidate {} alone, so that kernel is handed out: the tables describe "
                       "it, and it runs at all sizes\n",
                       alone);
  else if (r.single.loses())
    out +=
        fmt::format("candidate {} alone is faster than the dispatcher on the declared shapes; the dispatcher is kept: "
                    "{}\n",
                    alone, printable(r.kept_because));
  return out;
}

} // namespace

std::string disturbance_of(const dispatch::judgement& j) {
  const auto seen = j.outcome.evidence.find("disturbed");
  return seen == j.outcome.evidence.end() ? "" : seen->second;
}

handed_out contents_of(const dispatch_result& r) {
  if (!r.hands_out_single())
    return {dispatch::rows_of(r.proof.where), &r.proof.judged, r.proof.runs, dispatch::kernels_in(r.proof.where)};
  const auto k = r.single.kernel;
  return {{{"all sizes", k}},
          &r.kernels.judgements[k],
          std::vector<dispatch::choice>(r.proof.runs.size(), dispatch::choice{k}),
          {k}};
}

std::string dispatch_text(const dispatch_result& r, const contract& task) {
  const auto file = contents_of(r);
  auto out = fmt::format("{}: {}, flag set {}\n\n", printable(task.name),
                         r.hands_out_single() ? name_of(r.kernels, file.runs.front()) + " alone, without the reference"
                                              : human_number(file.kernels.size(), "kernel") + " and the reference",
                         printable(r.flags));
  std::vector<std::vector<std::string>> regions{{"SIZES", "RUNS"}};
  for (const auto& x : file.regions)
    regions.push_back({x.when, name_of(r.kernels, x.kernel)});
  out += table_text(regions) + "\n";
  for (const auto& x : r.kernels.refused)
    out += fmt::format("candidate {} takes no part: {}\n", x.node, printable(x.why));
  for (const auto& x : r.kernels.not_outside)
    out += fmt::format("candidate {} does not run beyond the task's sizes: {}\n", x.node, printable(x.why));
  if (!r.kernels.refused.empty() || !r.kernels.not_outside.empty())
    out += "\n";
  const auto& j = *file.judged;
  if (!j.passes)
    return out + "the dispatcher is refused by the judge: " + printable(j.why) + "\n";
  out += shapes_text(r, file, task);
  out += fmt::format("\nspeedup {}, {}; judged in {}\n", human_speedup(j.outcome.speedup),
                     interval_sentence(j.outcome, basis_of(j.outcome)), human_number(r.proof.rounds, "round"));
  if (const auto both = outputs_sentence(outputs_of(j.outcome), j.outcome.speedup); !both.empty())
    out += "  " + both + "\n";
  out += "  Each shape's interval is of its own pairs, within sessions.\n";
  if (const auto why = disturbance_of(j); !why.empty())
    out += disturbed_text(why);
  const auto shown = std::count_if(j.by_shape.begin(), j.by_shape.end(), dispatch::is_not_inferior);
  out += fmt::format("not inferior to the reference on {} of {} ({}){}\n", shown,
                     human_number(task.shapes.size(), "shape"), rule_text(r.rule),
                     r.hands_out_single() ? "" : "; where that is not shown, the reference runs");
  if (!r.proof.holds()) {
    for (auto s : r.proof.slower)
      out += fmt::format("{}: {}: not written\n", printable(task.shapes[s].name),
                         dispatch::to_string(j.by_shape[s].against_reference.result));
    return out;
  }
  out += single_text(r);
  for (const auto& written : {r.out, r.bundle})
    out += written.empty() ? "" : printable(written) + " is written\n";
  return out;
}

} // namespace kevolve
