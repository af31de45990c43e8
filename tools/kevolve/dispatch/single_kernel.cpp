#include "tools/kevolve/dispatch/single_kernel.hpp"

#include "backends/judge/outcome_figures.hpp"

#include <algorithm>
#include <cmath>

namespace kevolve::dispatch {

size_t fastest_single(const std::vector<double>& speedups) {
  return static_cast<size_t>(std::max_element(speedups.begin(), speedups.end()) - speedups.begin());
}

std::vector<double> log_ratios(const shape_timing& t) {
  std::vector<double> out(std::min(t.baseline_ns.size(), t.candidate_ns.size()));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = std::log(t.baseline_ns[i] / t.candidate_ns[i]);
  return out;
}

std::vector<double> round_log_ratios(const std::vector<shape_timing>& timings) {
  std::vector<std::vector<double>> by_shape;
  std::vector<double> weights;
  double total = 0.0;
  for (const auto& t : timings)
    if (!t.held_out) {
      by_shape.push_back(log_ratios(t));
      weights.push_back(t.weight);
      total += t.weight;
    }
  if (by_shape.empty() || !(total > 0.0))
    return {};
  auto rounds = by_shape.front().size();
  for (const auto& x : by_shape)
    rounds = std::min(rounds, x.size());
  std::vector<double> out(rounds, 0.0);
  for (size_t i = 0; i < rounds; ++i)
    for (size_t s = 0; s < by_shape.size(); ++s)
      out[i] += weights[s] / total * by_shape[s][i];
  return out;
}

outside_policy policy_of(const contract& task, bool reference_outside) {
  if (declared_sizes_only(task))
    return outside_policy::not_defined;
  return reference_outside ? outside_policy::reference : outside_policy::kernel;
}

std::string why_not_alone(const contract& task, const figures& by_shape, const std::string& why_not_outside,
                          outside_policy policy, const between& beside) {
  if (policy == outside_policy::reference)
    return "--outside reference leaves the sizes beyond the task's to the reference";
  if (policy == outside_policy::not_defined)
    return "the task allows its declared sizes alone, and others are left to the reference";
  if (!why_not_outside.empty())
    return "that kernel is not right beyond the task's sizes: " + why_not_outside;
  for (size_t s = 0; s < task.shapes.size() && s < by_shape.size(); ++s)
    if (is_inferior(by_shape[s]))
      return "that kernel is inferior to the reference at " + task.shapes[s].name;
    else if (is_probe(task, beside, s) && !is_timed(by_shape[s]))
      return "that kernel is not measured at " + task.shapes[s].name + ", beyond the task's sizes";
  return {};
}

against_single compared_with_single(size_t kernel, const judge_outcome& outcome, const regression_rule& rule) {
  against_single out;
  const auto calls = outputs_of(outcome).not_read;
  out.set_speedup(calls.speedup > 0.0 ? calls : speedup_interval{outcome});
  out.basis = basis_of(outcome);
  out.kernel = kernel;
  out.test = test_regression(round_log_ratios(outcome.timings), rule);
  return out;
}

} // namespace kevolve::dispatch
