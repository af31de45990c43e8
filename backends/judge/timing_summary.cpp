#include "backends/judge/timing_summary.hpp"

#include "backends/judge/figure.hpp"
#include "backends/judge/outcome_figures.hpp"
#include "backends/judge/session_interval.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kevolve {

namespace {

speedup_interval interval_of_ratios(const std::vector<double>& baseline_ns, const std::vector<double>& candidate_ns) {
  std::vector<double> ratios(std::min(baseline_ns.size(), candidate_ns.size()));
  for (size_t i = 0; i < ratios.size(); ++i)
    ratios[i] = baseline_ns[i] / candidate_ns[i];
  const auto interval = interval_of_median(std::move(ratios));
  return {interval.median, interval.low, interval.high};
}

shape_timing timing_of(const compared_shape& shape, double alpha) {
  shape_timing t;
  t.shape = shape.inputs->shape.name;
  t.held_out = shape.inputs->shape.held_out;
  t.weight = shape.inputs->shape.weight;
  t.decision = shape.test.decide(alpha);
  t.set_speedup(interval_of_ratios(shape.baseline_ns, shape.candidate_ns));
  t.log_e_faster = shape.test.log_e_faster();
  t.log_e_slower = shape.test.log_e_slower();
  t.floor_ns = shape.floor_ns;
  t.baseline_ns = shape.baseline_ns;
  t.candidate_ns = shape.candidate_ns;
  return t;
}

speedup_interval speedup_of(const median_interval& logs) {
  return {std::exp(logs.median), std::exp(logs.low), std::exp(logs.high)};
}

// Notes both figures, and makes one of them the headline.
void report_rounds(const judge_request& request, const timed_rounds& rounds, judge_outcome& out) {
  const auto sessions = by_session(rounds.calls, rounds.starts);
  const auto calls = interval_over_sessions(sessions);
  out.set_speedup(speedup_of(calls));
  note_basis(out, {calls.coverage, static_cast<uint32_t>(rounds.calls.size()), static_cast<uint32_t>(sessions.size())});
  out.evidence["interval"] = interval_name(basis_of(out));
  if (request.mode != judge_mode::confirm)
    return;
  outputs_figures both{out, {}};
  auto& headline = out.evidence["outputs.headline"];
  headline = "not_read";
  if (rounds.with_read.size() == rounds.calls.size()) {
    both.read = speedup_of(interval_over_sessions(by_session(rounds.with_read, rounds.starts)));
    if (!request.task.timing.outputs_not_read && both.read.speedup < both.not_read.speedup) {
      headline = "read";
      out.set_speedup(both.read);
    }
  } else
    out.evidence["outputs.note"] = "a read of the outputs is not applicable: they stay on the device and are compared "
                                   "there";
  note_outputs(out, both);
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
    if (shape.baseline_ns.empty() || shape.inputs->shape.held_out)
      continue;
    ratios.push_back(*std::min_element(shape.baseline_ns.begin(), shape.baseline_ns.end())
                     / *std::min_element(shape.candidate_ns.begin(), shape.candidate_ns.end()));
    weights.push_back(shape.inputs->shape.weight);
  }
  return weighted_geometric_mean(ratios, weights);
}

namespace {

std::chrono::nanoseconds longest_best(const std::vector<compared_shape>& shapes,
                                      std::vector<double> compared_shape::* calls) {
  double out = 0.0;
  for (const auto& shape : shapes)
    if (const auto& ns = shape.*calls; !ns.empty())
      out = std::max(out, *std::min_element(ns.begin(), ns.end()));
  return std::chrono::nanoseconds{static_cast<int64_t>(out)};
}

} // namespace

std::chrono::nanoseconds longest_best_call(const std::vector<compared_shape>& shapes) {
  return longest_best(shapes, &compared_shape::candidate_ns);
}

std::chrono::nanoseconds longest_baseline_call(const std::vector<compared_shape>& shapes) {
  return longest_best(shapes, &compared_shape::baseline_ns);
}

bool is_far_ahead(const std::vector<double>& log_ratios, std::chrono::nanoseconds longest_baseline_call) {
  constexpr double lead = 1.5;
  constexpr std::chrono::milliseconds slow{100};
  return longest_baseline_call >= slow && !log_ratios.empty()
         && std::all_of(log_ratios.begin(), log_ratios.end(), [](double x) { return x >= std::log(lead); });
}

std::string behind_the_parent(double parent_lead, size_t pairs) {
  return "slower than its parent, which is at least " + figure(parent_lead, 4)
         + " times as fast as the baseline, after " + std::to_string(pairs) + " pairs";
}

std::chrono::nanoseconds round_ns(const std::vector<compared_shape>& shapes) {
  double out = 0.0;
  for (const auto& shape : shapes)
    if (!shape.inputs->shape.held_out)
      out += 2.0 * shape.inputs->typical_reference_ns();
  return std::chrono::nanoseconds{static_cast<int64_t>(out)};
}

std::vector<side_by_side> sums_of(const std::vector<compared_shape>& shapes, bool candidate_wins) {
  std::vector<side_by_side> out;
  for (const auto& shape : shapes) {
    if (shape.inputs->shape.held_out)
      continue;
    const auto baseline = std::accumulate(shape.baseline_ns.begin(), shape.baseline_ns.end(), 0.0);
    const auto candidate = std::accumulate(shape.candidate_ns.begin(), shape.candidate_ns.end(), 0.0);
    out.push_back(
        {shape.inputs->shape.weight, candidate_wins ? candidate : baseline, candidate_wins ? baseline : candidate});
  }
  return out;
}

std::optional<double> last_round_with_read(const std::vector<compared_shape>& shapes) {
  double sum = 0.0;
  double total = 0.0;
  for (const auto& shape : shapes) {
    const auto& about = shape.inputs->shape;
    if (about.held_out)
      continue;
    if (shape.candidate_with_read_ns.size() != shape.candidate_ns.size() || shape.candidate_ns.empty())
      return std::nullopt;
    sum += about.weight * std::log(shape.baseline_with_read_ns.back() / shape.candidate_with_read_ns.back());
    total += about.weight;
  }
  return total > 0.0 ? std::optional{sum / total} : std::nullopt;
}

void report_session(const judge_request& request, const std::vector<compared_shape>& shapes, const timed_rounds& rounds,
                    const sign_test& overall, int digits, judge_outcome& out) {
  bool compared = false;
  for (const auto& shape : shapes) {
    if (shape.candidate_ns.empty())
      continue;
    out.timings.push_back(timing_of(shape, request.alpha));
    compared = compared || !shape.baseline_ns.empty();
    note_read_figure(out, shape.inputs->shape.name,
                     interval_of_ratios(shape.baseline_with_read_ns, shape.candidate_with_read_ns));
  }
  out.evidence["pairs"] = std::to_string(rounds.calls.size());
  if (!compared || rounds.calls.empty() || out.decision == comparison_decision::screened)
    out.speedup = best_against_best(shapes); // of another statistic than the pairs' interval: it has none
  else
    report_rounds(request, rounds, out);
  out.evidence["log_e_faster"] = figure(overall.log_e_faster(), digits);
  out.evidence["log_e_slower"] = figure(overall.log_e_slower(), digits);
  out.evidence["alpha"] = figure(request.alpha, digits); // the decision was made at it
}

} // namespace kevolve
