// What a timing session comes to: figures per shape and overall, and the two laws no time may break. Pure.
#pragma once

#include "backends/judge/disturbance.hpp"
#include "backends/nvidia/runner/paired_comparison.hpp"

#include <optional>
#include <vector>

namespace kevolve::cuda {

// The ratio of the fastest calls, over the declared shapes: disturbances only ever add time. 0 without a baseline.
double best_against_best(const std::vector<compared_shape>& shapes);

// Of the calls on each declared shape, the candidate as who seems faster.
std::vector<side_by_side> sums_of(const std::vector<compared_shape>& shapes);

// Timings, speedup, interval and evidence of the outcome. `rounds`: the log ratio of each.
void report_session(const judge_request& request, const std::vector<compared_shape>& shapes,
                    const std::vector<double>& rounds, const sign_test& overall, double event_floor_ns,
                    judge_outcome& out);

// The candidate's process tells the time; the runner's own clock, around the same call, must have passed too: about as
// much beyond what is claimed as beyond what the baseline claims.
std::optional<rejection> break_witness(const std::vector<compared_shape>& shapes);
// Faster than the declared work can be done.
std::optional<rejection> break_physics(const std::vector<shape_timing>& timings);

} // namespace kevolve::cuda
