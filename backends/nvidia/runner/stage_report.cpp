#include "backends/nvidia/runner/stage_report.hpp"

#include "backends/judge/figure.hpp"
#include "backends/judge/physics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kevolve::cuda {

namespace {

// Below this many times what an empty kernel takes between events, a ratio says more of the launch than of the kernel.
constexpr double above_floor = 3.0;
// What the runner's clock sees beyond the device's: the sweep, the launch, printed text, two messages.
constexpr double witness_share = 1.0;
constexpr double witness_slack_ns = 5'000'000.0;
// A busy host only ever adds to what its clock sees, so that the least of several calls is compared, never a few alone.
constexpr size_t witness_calls = 5;

double median(std::vector<double> values) {
  return interval_of_median(std::move(values)).median;
}

shape_timing timing_of(const compared_shape& shape, double alpha) {
  shape_timing t;
  t.shape = shape.pool->shape.name;
  t.held_out = shape.pool->shape.held_out;
  t.weight = shape.pool->shape.weight;
  t.decision = shape.test.decide(alpha);
  std::vector<double> ratios(std::min(shape.baseline_ns.size(), shape.candidate_ns.size()));
  for (size_t i = 0; i < ratios.size(); ++i)
    ratios[i] = shape.baseline_ns[i] / shape.candidate_ns[i];
  const auto interval = interval_of_median(std::move(ratios));
  t.speedup = interval.median;
  t.ci_low = interval.low;
  t.ci_high = interval.high;
  t.log_e_faster = shape.test.log_e_faster();
  t.log_e_slower = shape.test.log_e_slower();
  t.floor_ns = shape.floor_ns;
  t.baseline_ns = shape.baseline_ns;
  t.candidate_ns = shape.candidate_ns;
  return t;
}

} // namespace

std::vector<side_by_side> sums_of(const std::vector<compared_shape>& shapes) {
  std::vector<side_by_side> out;
  for (const auto& shape : shapes)
    if (!shape.pool->shape.held_out)
      out.push_back({shape.pool->shape.weight,
                     std::accumulate(shape.candidate_ns.begin(), shape.candidate_ns.end(), 0.0),
                     std::accumulate(shape.baseline_ns.begin(), shape.baseline_ns.end(), 0.0)});
  return out;
}

double best_against_best(const std::vector<compared_shape>& shapes) {
  std::vector<double> ratios;
  std::vector<double> weights;
  for (const auto& shape : shapes) {
    if (shape.baseline_ns.empty() || shape.pool->shape.held_out)
      continue;
    ratios.push_back(*std::min_element(shape.baseline_ns.begin(), shape.baseline_ns.end())
                     / *std::min_element(shape.candidate_ns.begin(), shape.candidate_ns.end()));
    weights.push_back(shape.pool->shape.weight);
  }
  return weighted_geometric_mean(ratios, weights);
}

void report_session(const judge_request& request, const std::vector<compared_shape>& shapes,
                    const std::vector<double>& rounds, const sign_test& overall, double event_floor_ns,
                    judge_outcome& out) {
  std::vector<double> speedups;
  std::vector<double> weights;
  bool compared = false;
  for (const auto& shape : shapes) {
    if (shape.candidate_ns.empty())
      continue;
    auto t = timing_of(shape, request.alpha);
    compared = compared || !t.baseline_ns.empty();
    if (!t.held_out && !t.baseline_ns.empty()) {
      speedups.push_back(t.speedup);
      weights.push_back(t.weight);
    }
    if (!shape.recorded_span_ns.empty()) {
      out.evidence["clock.event_ns." + t.shape] = figure(median(shape.recorded_event_ns), 5);
      out.evidence["clock.span_ns." + t.shape] = figure(median(shape.recorded_span_ns), 5);
    }
    out.evidence["clock.excess_ns." + t.shape] = figure(median(shape.candidate_excess_ns), 5);
    if (event_floor_ns > 0.0 && median(t.candidate_ns) < above_floor * event_floor_ns)
      out.evidence["launch_bound." + t.shape] =
          "below " + figure(above_floor, 5) + " times an empty kernel's " + figure(event_floor_ns, 5) + " ns";
    out.timings.push_back(std::move(t));
  }
  const auto interval = interval_of_median(rounds);
  // Of the statistic whose interval is told beside it.
  out.speedup = out.estimate ? best_against_best(shapes)
                : compared   ? std::exp(interval.median)
                             : weighted_geometric_mean(speedups, weights);
  if (compared && !out.estimate) { // an estimate's statistic has none
    out.ci_low = std::exp(interval.low);
    out.ci_high = std::exp(interval.high);
  }
  out.evidence["pairs"] = std::to_string(rounds.size());
  out.evidence["interval"] = "order statistics of the pairs' ratios, coverage " + figure(interval.coverage, 5);
  out.evidence["log_e_faster"] = figure(overall.log_e_faster(), 5);
  out.evidence["log_e_slower"] = figure(overall.log_e_slower(), 5);
  out.evidence["alpha"] = figure(request.alpha, 5);
  out.evidence["clock"] = "the longer of the events' interval and the activities' span";
}

std::optional<rejection> break_witness(const std::vector<compared_shape>& shapes) {
  for (const auto& shape : shapes) {
    if (std::min(shape.baseline_excess_ns.size(), shape.candidate_excess_ns.size()) < witness_calls)
      continue;
    const auto own = *std::min_element(shape.candidate_excess_ns.begin(), shape.candidate_excess_ns.end());
    const auto baselines = *std::min_element(shape.baseline_excess_ns.begin(), shape.baseline_excess_ns.end());
    if (own - baselines > witness_slack_ns + witness_share * median(shape.candidate_ns))
      return rejection{verdict::cheating,
                       "time_witness",
                       "the runner's clock saw at least " + figure(own, 5) + " ns beyond the time reported, and "
                           + figure(baselines, 5) + " ns for the rival",
                       {{"excess_ns", figure(own, 5)}, {"rival_excess_ns", figure(baselines, 5)}}};
  }
  return std::nullopt;
}

std::optional<rejection> break_physics(const std::vector<shape_timing>& timings) {
  for (const auto& t : timings) {
    const auto ns = median(t.candidate_ns);
    if (t.floor_ns > 0.0 && ns < impossible_below * t.floor_ns)
      return rejection{verdict::faster_than_physics,
                       "physics_floor",
                       "shape '" + t.shape + "' took " + figure(ns, 5) + " ns; the declared work takes at least "
                           + figure(t.floor_ns, 5) + " ns on this device",
                       {{"floor_ns", figure(t.floor_ns, 5)}, {"candidate_ns", figure(ns, 5)}}};
  }
  return std::nullopt;
}

} // namespace kevolve::cuda
