// The JSON document of `kevolve dispatch`.
#include "backends/judge/outcome_figures.hpp"
#include "backends/judge/sequential_test.hpp"
#include "runtime/node/admin/interval_json.hpp"
#include "runtime/node/admin/records_json.hpp"
#include "tools/kevolve/dispatch/dispatch_text.hpp"

#include <utility>

namespace kevolve {

namespace {

json node_or_null(const judged_kernels& k, const dispatch::choice& c) {
  return c ? json(k.kernels[*c].node) : json(nullptr);
}

json regression_json(const dispatch::regression_test& t, const dispatch::regression_rule& rule) {
  return {{"result", dispatch::to_string(t.result)},
          {"pairs", t.pairs},
          {"margin", rule.margin},
          {"confidence", rule.confidence}};
}

// Returns a shape's figure with its interval and the test against the reference.
json figure_json(const dispatch::figure& f, const dispatch::regression_rule& rule) {
  json out{{"speedup", dispatch::is_timed(f) ? json(f.speedup) : json(nullptr)},
           {"against_reference", regression_json(f.against_reference, rule)}};
  const auto pairs = f.against_reference.pairs;
  add_interval(out, {f.speedup, f.low, f.high}, {coverage_of_median(pairs), static_cast<uint32_t>(pairs), f.sessions});
  out["includes_session_spread"] = false;
  return out;
}

json rows_json(const judged_kernels& k, const std::vector<dispatch::region_row>& rows) {
  auto out = json::array();
  for (const auto& x : rows)
    out.push_back({{"when", x.when}, {"candidate", node_or_null(k, x.kernel)}, {"node", node_or_null(k, x.kernel)}});
  return out;
}

json used_json(const judged_kernels& k, const std::vector<size_t>& used) {
  auto out = json::array();
  for (auto i : used)
    out.push_back({{"candidate", k.kernels[i].node}, {"node", k.kernels[i].node}, {"summary", k.kernels[i].summary}});
  return out;
}

// Adds the headline of a judgement; nulls if it did not pass.
void add_headline(json& out, const dispatch::judgement& j) {
  out["speedup"] = j.passes ? json(j.outcome.speedup) : json(nullptr);
  out["outputs"] = j.passes ? outputs_json(outputs_of(j.outcome), j.outcome.speedup) : json(nullptr);
  add_interval(out, j.passes ? speedup_interval{j.outcome} : speedup_interval{}, basis_of(j.outcome));
}

json single_json(const dispatch_result& r) {
  if (!r.proof.holds())
    return nullptr;
  json against{{"speedup", r.single.speedup}, {"test", regression_json(r.single.test, r.rule)}};
  add_interval(against, r.single, r.single.basis);
  return {{"candidate", r.kernels.kernels[r.single.kernel].node},
          {"speedup", r.kernels.judgements[r.single.kernel].outcome.speedup},
          {"dispatcher_against_it", std::move(against)}};
}

// Returns the dispatcher that lost to a kernel alone and is not handed out; null otherwise.
json dispatcher_json(const dispatch_result& r) {
  if (!r.hands_out_single())
    return nullptr;
  json out{{"kernels", used_json(r.kernels, dispatch::kernels_in(r.proof.where))},
           {"regions", rows_json(r.kernels, dispatch::rows_of(r.proof.where))}};
  add_headline(out, r.proof.judged);
  return out;
}

} // namespace

json dispatch_json(const dispatch_result& r, const contract& task) {
  const auto file = contents_of(r);
  const auto reasons = [](const std::vector<refused_kernel>& kernels) {
    auto out = json::array();
    for (const auto& x : kernels)
      out.push_back({{"candidate", x.node}, {"node", x.node}, {"reason", x.why}});
    return out;
  };
  auto alone = json::array();
  for (size_t k = 0; k < r.kernels.kernels.size(); ++k) {
    auto figures = json::array();
    for (const auto& f : r.kernels.judgements[k].by_shape)
      figures.push_back(figure_json(f, r.rule));
    alone.push_back({{"candidate", r.kernels.kernels[k].node},
                     {"node", r.kernels.kernels[k].node},
                     {"speedup", r.kernels.judgements[k].outcome.speedup},
                     {"shapes", std::move(figures)}});
  }
  auto shapes = json::array();
  auto between = json::array();
  auto beyond = json::array();
  for (size_t s = 0; s < task.shapes.size(); ++s) {
    const auto& f = file.judged->by_shape[s];
    auto said = figure_json(f, r.rule);
    said["shape"] = task.shapes[s].name;
    said["candidate"] = said["node"] = node_or_null(r.kernels, file.runs[s]);
    said["slower"] = dispatch::is_inferior(f);
    if (s < r.own_shapes)
      said["held_out"] = task.shapes[s].held_out;
    (s < r.own_shapes ? shapes : s + r.probes < task.shapes.size() ? between : beyond).push_back(std::move(said));
  }
  json out{{"campaign", r.campaign},
           {"task", task.name},
           {"flags", r.flags},
           {"holds", r.proof.holds()},
           {"margin", r.rule.margin},
           {"confidence", r.rule.confidence},
           {"handed_out", !r.proof.holds()       ? json(nullptr)
                          : r.hands_out_single() ? "candidate"
                                                 : "dispatcher"},
           {"kept_because", or_null(r.kept_because)},
           {"fastest_alone", single_json(r)},
           {"dispatcher", dispatcher_json(r)},
           {"detail", file.judged->why},
           {"disturbed", or_null(disturbance_of(*file.judged))},
           {"rounds", r.proof.rounds},
           {"kernels", used_json(r.kernels, file.kernels)},
           {"judged_alone", std::move(alone)},
           {"refused", reasons(r.kernels.refused)},
           {"not_outside", reasons(r.kernels.not_outside)},
           {"regions", rows_json(r.kernels, file.regions)},
           {"shapes", std::move(shapes)},
           {"between", std::move(between)},
           {"beyond", std::move(beyond)},
           {"out", or_null(r.out)},
           {"bundle", or_null(r.bundle)},
           {"source", r.source()}};
  add_headline(out, *file.judged);
  return out;
}

} // namespace kevolve
