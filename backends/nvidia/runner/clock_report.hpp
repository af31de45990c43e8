// The clocks of a timing session on a device: their figures, and the two laws that no time may break. Pure.
#pragma once

#include "backends/judge/process_pair.hpp"

#include <optional>
#include <vector>

namespace kevolve::cuda {

// Samples of the calls on one shape, beside the times that count.
struct clock_samples {
  // The runner's own clock beyond the time that counts, call by call.
  std::vector<double> candidate_excess_ns;
  std::vector<double> baseline_excess_ns;
  // The device's own records of warm-up calls, and the events around them.
  std::vector<double> recorded_span_ns;
  std::vector<double> recorded_event_ns;
  std::vector<double> launch_ns; // of each launch of the last recorded call of the candidate; empty: not recorded
  double longest_ns = 0.0;       // of any call
};

// Adds the clocks' figures to the evidence. `clocks` are by shape, as `shapes` are.
void report_clocks(const std::vector<compared_shape>& shapes, const std::vector<clock_samples>& clocks,
                   double event_floor_ns, judge_outcome& out);

// Refuses a time that the runner's clock contradicts. The candidate's process reports the time. Around the same call
// the runner's own clock must exceed it by about as much as it exceeds the baseline's.
std::optional<rejection> break_witness(const std::vector<compared_shape>& shapes,
                                       const std::vector<clock_samples>& clocks);
// Refuses a time in which the declared work cannot be done.
std::optional<rejection> break_physics(const std::vector<shape_timing>& timings);

} // namespace kevolve::cuda
