#include "tools/kevolve/dispatch/dispatch_bundle.hpp"

#include "runtime/base/wall_clock.hpp"
#include "runtime/node/admin/records_json.hpp"
#include "tools/kevolve/bundle/bundle_reading.hpp"

#include <algorithm>

namespace kevolve {

namespace {

void take_times(const shape_timing& t, bundle_shape& s) {
  s.reference_ns = t.baseline_ns.empty() ? 0.0 : spread_json(t.baseline_ns)["median"].get<double>();
  s.kernel_ns = t.candidate_ns.empty() ? 0.0 : spread_json(t.candidate_ns)["median"].get<double>();
  s.pairs = t.candidate_ns.size();
  s.set_speedup(t);
}

} // namespace

result<void> take_dispatcher(bundle_input& b, const dispatch::proof& p, const std::vector<tree_kernel>& kernels,
                             const std::string& flags) {
  const auto& said = p.judged.outcome;
  b.kernel_source = p.source;
  b.language = "c";
  b.flag_set = flags;
  b.dispatches.clear();
  for (auto k : dispatch::kernels_in(p.where))
    b.dispatches.push_back(kernels[k].node);
  b.regions.clear();
  for (const auto& r : dispatch::rows_of(p.where))
    b.regions.push_back({r.when, r.kernel ? "candidate " + std::to_string(kernels[*r.kernel].node) : "reference"});
  b.generator = "dispatch";
  b.summary.clear();
  b.set_speedup(said);
  b.call_overhead_ns = p.judged.call_overhead_ns;
  b.final_confirmed = true;
  b.reused_from = nullptr;
  const auto disturbed = said.evidence.find("disturbed");
  b.disturbed = disturbed == said.evidence.end() ? "" : disturbed->second;
  for (auto& s : b.shapes)
    take_times({}, s);
  b.between.clear();
  for (const auto& t : said.timings) {
    const auto own =
        std::find_if(b.shapes.begin(), b.shapes.end(), [&](const bundle_shape& s) { return s.name == t.shape; });
    if (own == b.shapes.end())
      b.between.push_back({{}, t.shape, true});
    take_times(t, own == b.shapes.end() ? b.between.back() : *own);
  }
  b.verdict = to_string(said.result);
  b.evidence = json::array({to_json(said, true)});
  b.fingerprint = {{"harness", p.judged.harness}, {"toolchain", p.judged.toolchain}, {"device", p.judged.device}};
  b.measured_at = time_json(wall_clock_ns()).get<std::string>();
  return read_machine(b);
}

} // namespace kevolve
