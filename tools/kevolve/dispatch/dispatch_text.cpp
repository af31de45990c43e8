#include "tools/kevolve/dispatch/dispatch_text.hpp"

#include "tools/kevolve/output/campaign_text.hpp"
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
  auto alone = json::array();
  for (size_t k = 0; k < r.kernels.kernels.size(); ++k) {
    auto figures = json::array();
    for (const auto& f : r.kernels.figures[k])
      figures.push_back({{"speedup", dispatch::is_timed(f) ? json(f.speedup) : json(nullptr)},
                         {"ci95", interval_or_null(f.low, f.high)}});
    alone.push_back({{"candidate", r.kernels.kernels[k].node},
                     {"node", r.kernels.kernels[k].node},
                     {"speedup", r.kernels.speedups[k]},
                     {"shapes", std::move(figures)}});
  }
  auto rows = json::array();
  for (const auto& x : dispatch::rows_of(r.proof.where))
    rows.push_back({{"when", x.when},
                    {"candidate", node_or_null(r.kernels, x.kernel)},
                    {"node", node_or_null(r.kernels, x.kernel)}});
  auto shapes = json::array();
  auto between = json::array();
  for (size_t s = 0; s < task.shapes.size(); ++s) {
    const auto& f = r.proof.judged.by_shape[s];
    json said{{"shape", task.shapes[s].name},
              {"candidate", node_or_null(r.kernels, r.proof.runs[s])},
              {"node", node_or_null(r.kernels, r.proof.runs[s])},
              {"speedup", dispatch::is_timed(f) ? json(f.speedup) : json(nullptr)},
              {"ci95", interval_or_null(f.low, f.high)},
              {"slower", dispatch::is_slower(f)}};
    if (s < r.own_shapes)
      said["held_out"] = task.shapes[s].held_out;
    (s < r.own_shapes ? shapes : between).push_back(std::move(said));
  }
  const auto& j = r.proof.judged;
  return {{"campaign", r.campaign},
          {"task", task.name},
          {"flags", r.flags},
          {"holds", r.proof.holds()},
          {"detail", j.why},
          {"speedup", j.passes ? json(j.outcome.speedup) : json(nullptr)},
          {"ci95", j.passes ? interval_or_null(j.outcome.ci_low, j.outcome.ci_high) : json(nullptr)},
          {"disturbed", or_null(disturbance_of(j))},
          {"rounds", r.proof.rounds},
          {"kernels", std::move(kernels)},
          {"judged_alone", std::move(alone)},
          {"refused", std::move(refused)},
          {"regions", std::move(rows)},
          {"shapes", std::move(shapes)},
          {"between", std::move(between)},
          {"out", or_null(r.out)},
          {"bundle", or_null(r.bundle)},
          {"source", r.proof.source}};
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
  if (!r.kernels.refused.empty())
    out += "\n";
  const auto& j = r.proof.judged;
  if (!j.passes)
    return out + "the dispatcher is refused by the judge: " + printable(j.why) + "\n";
  std::vector<std::vector<std::string>> shapes{{"SHAPE", "USE", "RUNS", "SPEEDUP", "95 % INTERVAL"}};
  size_t untimed = 0;
  for (size_t s = 0; s < task.shapes.size(); ++s) {
    const auto& f = j.by_shape[s];
    untimed += dispatch::is_timed(f) ? 0U : 1U;
    shapes.push_back(
        {printable(task.shapes[s].name),
         s >= r.own_shapes         ? "between"
         : task.shapes[s].held_out ? "held out"
                                   : "declared",
         name_of(r.kernels, r.proof.runs[s]), dispatch::is_timed(f) ? human_speedup(f.speedup) : "-",
         dispatch::is_timed(f)
             ? fmt::format("{:.3f} to {:.3f}{}", f.low, f.high,
                           dispatch::is_slower(f) && (s < r.own_shapes || r.proof.runs[s]) ? "  slower" : "")
             : "not timed"});
  }
  out += table_text(shapes);
  out += fmt::format("\nspeedup {}, 95 % interval {:.3f} to {:.3f}; judged in {}\n", human_speedup(j.outcome.speedup),
                     j.outcome.ci_low, j.outcome.ci_high, human_number(r.proof.rounds, "round"));
  const auto fastest = std::max_element(r.kernels.speedups.begin(), r.kernels.speedups.end());
  out += fmt::format("the fastest alone, candidate {}: {}\n",
                     r.kernels.kernels[static_cast<size_t>(fastest - r.kernels.speedups.begin())].node,
                     human_speedup(*fastest));
  if (*fastest > j.outcome.ci_high)
    out += "  on the declared shapes it is faster than what was made, which chooses at every call and holds elsewhere "
           "too;\n"
           "  `kevolve bundle` writes it alone\n";
  if (const auto why = disturbance_of(j); !why.empty())
    out += disturbed_text(why);
  out += r.proof.slower.empty()
             ? fmt::format("by the judge, none of the {} timed is slower than the reference\n",
                           human_number(task.shapes.size() - untimed, "shape"))
             : human_number(r.proof.slower.size(), "shape") + " slower than the reference by the judge: not written\n";
  for (const auto& written : {r.out, r.bundle})
    out += written.empty() ? "" : printable(written) + " is written\n";
  return out;
}

} // namespace kevolve
