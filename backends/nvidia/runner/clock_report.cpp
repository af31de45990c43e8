#include "backends/nvidia/runner/clock_report.hpp"

#include "backends/judge/figure.hpp"
#include "backends/judge/physics.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <algorithm>

namespace kevolve::cuda {

namespace {

// Below this many times what an empty kernel takes between events, a ratio says more of the launch than of the kernel.
constexpr double above_floor = 3.0;
// The runner's clock sees more than the device's: the sweep, the launch, printed text, two messages.
constexpr double witness_share = 1.0;
constexpr double witness_slack_ns = 5'000'000.0;
// A busy host only ever adds to what its clock sees, so that the least of several calls is compared, never a few alone.
constexpr size_t witness_calls = 5;

double median(std::vector<double> values) {
  return interval_of_median(std::move(values)).median;
}

} // namespace

void report_clocks(const std::vector<compared_shape>& shapes, const std::vector<clock_samples>& clocks,
                   double event_floor_ns, judge_outcome& out) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    const auto& shape = shapes[i];
    if (shape.candidate_ns.empty() || i >= clocks.size())
      continue;
    const auto& name = shape.inputs->shape.name;
    const auto& samples = clocks[i];
    if (!samples.recorded_span_ns.empty()) {
      out.evidence["clock.event_ns." + name] = figure(median(samples.recorded_event_ns), 5);
      out.evidence["clock.span_ns." + name] = figure(median(samples.recorded_span_ns), 5);
    }
    out.evidence["clock.excess_ns." + name] = figure(median(samples.candidate_excess_ns), 5);
    if (event_floor_ns > 0.0 && median(shape.candidate_ns) < above_floor * event_floor_ns)
      out.evidence["launch_bound." + name] =
          "below " + figure(above_floor, 5) + " times an empty kernel's " + figure(event_floor_ns, 5) + " ns";
  }
  out.evidence["clock"] = "the longer of the events' interval and the activities' span";
}

std::optional<rejection> break_witness(const std::vector<compared_shape>& shapes,
                                       const std::vector<clock_samples>& clocks) {
  for (size_t i = 0; i < std::min(shapes.size(), clocks.size()); ++i) {
    const auto& candidates = clocks[i].candidate_excess_ns;
    const auto& baseline = clocks[i].baseline_excess_ns;
    if (std::min(baseline.size(), candidates.size()) < witness_calls)
      continue;
    const auto own = *std::min_element(candidates.begin(), candidates.end());
    const auto baselines = *std::min_element(baseline.begin(), baseline.end());
    if (own - baselines > witness_slack_ns + witness_share * median(shapes[i].candidate_ns))
      return rejection{verdict::cheating,
                       rule_name::time_witness,
                       "the runner's clock saw at least " + figure(own, 5) + " ns beyond the time reported, and "
                           + figure(baselines, 5) + " ns for the baseline",
                       {{"excess_ns", figure(own, 5)}, {"rival_excess_ns", figure(baselines, 5)}}};
  }
  return std::nullopt;
}

std::optional<rejection> break_physics(const std::vector<shape_timing>& timings) {
  for (const auto& t : timings) {
    const auto ns = median(t.candidate_ns);
    if (t.floor_ns > 0.0 && ns < impossible_below * t.floor_ns)
      return rejection{verdict::faster_than_physics,
                       rule_name::physics_floor,
                       "shape '" + t.shape + "' took " + figure(ns, 5) + " ns; the declared work takes at least "
                           + figure(t.floor_ns, 5) + " ns on this device",
                       {{"floor_ns", figure(t.floor_ns, 5)}, {"candidate_ns", figure(ns, 5)}}};
  }
  return std::nullopt;
}

} // namespace kevolve::cuda
