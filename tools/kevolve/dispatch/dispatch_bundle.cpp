#include "tools/kevolve/dispatch/dispatch_bundle.hpp"

#include "backends/judge/draw_coverage.hpp"
#include "backends/judge/outcome_figures.hpp"
#include "runtime/base/wall_clock.hpp"
#include "runtime/node/admin/records_json.hpp"
#include "tools/kevolve/bundle/bundle_reading.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace kevolve {

namespace {

void take_times(const shape_timing& t, bundle_shape& s) {
  s.reference_ns = t.baseline_ns.empty() ? 0.0 : spread_json(t.baseline_ns)["median"].get<double>();
  s.kernel_ns = t.candidate_ns.empty() ? 0.0 : spread_json(t.candidate_ns)["median"].get<double>();
  s.pairs = t.candidate_ns.size();
  s.set_speedup(t);
}

result<void> take_judgement(bundle_input& b, const dispatch::judgement& judged, const std::string& flags) {
  const auto& said = judged.outcome;
  b.language = "c";
  b.flag_set = flags;
  b.set_speedup(said);
  b.basis = basis_of(said);
  b.outputs = outputs_of(said);
  b.checked_on = coverage_text(said.evidence);
  b.call_overhead_ns = judged.call_overhead_ns;
  b.final_confirmed = true;
  b.reused_from = nullptr;
  const auto disturbed = said.evidence.find("disturbed");
  b.disturbed = disturbed == said.evidence.end() ? "" : disturbed->second;
  for (auto& s : b.shapes)
    take_times({}, s);
  b.between.clear();
  b.beyond.clear();
  for (const auto& t : said.timings) {
    const auto own =
        std::find_if(b.shapes.begin(), b.shapes.end(), [&](const bundle_shape& s) { return s.name == t.shape; });
    if (own == b.shapes.end())
      b.between.push_back({{}, t.shape, true});
    take_times(t, own == b.shapes.end() ? b.between.back() : *own);
  }
  for (const auto& t : judged.outside) {
    b.beyond.push_back({{}, t.shape, true});
    take_times(t, b.beyond.back());
  }
  b.verdict = to_string(said.result);
  b.evidence = json::array({to_json(said, true)});
  b.fingerprint = {{"harness", judged.harness}, {"toolchain", judged.toolchain}, {"device", judged.device}};
  b.measured_at = time_json(wall_clock_ns()).get<std::string>();
  return read_machine(b);
}

} // namespace

result<void> take_dispatcher(bundle_input& b, const dispatch::proof& p, const std::vector<tree_kernel>& kernels,
                             const std::string& flags, const dispatch::regression_rule& rule) {
  b.kernel_source = p.source;
  b.dispatches.clear();
  for (auto k : dispatch::kernels_in(p.where))
    b.dispatches.push_back(kernels[k].node);
  b.regions.clear();
  for (const auto& r : dispatch::rows_of(p.where))
    b.regions.push_back({r.when, r.kernel ? "candidate " + std::to_string(kernels[*r.kernel].node) : "reference"});
  b.no_regression = fmt::format("A kernel runs only where it was shown to be not inferior to the reference: at most "
                                "{:g} % slower, by a one-sided sign test with confidence {:g} %.",
                                100.0 * rule.margin, 100.0 * rule.confidence);
  b.generator = "dispatch";
  b.summary.clear();
  return take_judgement(b, p.judged, flags);
}

result<void> take_kernel(bundle_input& b, const tree_kernel& kernel, const dispatch::judgement& judged,
                         const std::string& flags) {
  b.kernel_source = kernel.source;
  b.node = kernel.node;
  b.dispatches.clear();
  b.regions.clear();
  b.no_regression.clear();
  b.generator = kernel.generator;
  b.summary = kernel.summary;
  return take_judgement(b, judged, flags);
}

} // namespace kevolve
