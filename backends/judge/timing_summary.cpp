#include "backends/judge/timing_summary.hpp"

#include "backends/judge/figure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kevolve {

namespace {

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

std::string samples_of(const compared_shape& shape) {
  std::string out;
  for (size_t i = 0; i < shape.baseline_ns.size(); ++i)
    out += (i == 0 ? "" : " ") + std::to_string(std::llround(shape.baseline_ns[i])) + "/"
           + std::to_string(std::llround(shape.candidate_ns[i]));
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

std::vector<side_by_side> sums_of(const std::vector<compared_shape>& shapes, bool candidate_wins) {
  std::vector<side_by_side> out;
  for (const auto& shape : shapes) {
    if (shape.pool->shape.held_out)
      continue;
    const auto baseline = std::accumulate(shape.baseline_ns.begin(), shape.baseline_ns.end(), 0.0);
    const auto candidate = std::accumulate(shape.candidate_ns.begin(), shape.candidate_ns.end(), 0.0);
    out.push_back(
        {shape.pool->shape.weight, candidate_wins ? candidate : baseline, candidate_wins ? baseline : candidate});
  }
  return out;
}

void report_session(const judge_request& request, const std::vector<compared_shape>& shapes,
                    const std::vector<double>& rounds, const sign_test& overall, int digits, judge_outcome& out) {
  bool compared = false;
  for (const auto& shape : shapes) {
    if (shape.candidate_ns.empty())
      continue;
    out.timings.push_back(timing_of(shape, request.alpha));
    compared = compared || !shape.baseline_ns.empty();
  }
  const auto overall_interval = interval_of_median(rounds);
  if (!compared || rounds.empty() || out.decision == comparison_decision::screened)
    out.speedup = best_against_best(shapes); // of another statistic than the pairs' interval: it has none
  else {
    out.speedup = std::exp(overall_interval.median);
    out.ci_low = std::exp(overall_interval.low);
    out.ci_high = std::exp(overall_interval.high);
  }
  out.evidence["pairs"] = std::to_string(rounds.size());
  out.evidence["interval"] =
      "order statistics of the pairs' ratios, coverage " + figure(overall_interval.coverage, digits);
  out.evidence["log_e_faster"] = figure(overall.log_e_faster(), digits);
  out.evidence["log_e_slower"] = figure(overall.log_e_slower(), digits);
  out.evidence["alpha"] = figure(request.alpha, digits); // the decision was made at it
}

} // namespace kevolve
