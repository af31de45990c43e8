// The figures of a timing session: per shape and overall. Pure.
#pragma once

#include "backends/judge/disturbance.hpp"
#include "backends/judge/process_pair.hpp"

#include <string>
#include <vector>

namespace kevolve {

// Returns "baseline/candidate" of each pair, ns.
std::string samples_of(const compared_shape& shape);

// Returns the ratio of the fastest calls, over the declared shapes; 0 without a baseline. Disturbances only ever add
// time, so after a few pairs this says more than a median does.
double best_against_best(const std::vector<compared_shape>& shapes);

// Adds up the calls on each declared shape.
std::vector<side_by_side> sums_of(const std::vector<compared_shape>& shapes, bool candidate_wins);

// Fills in timings, speedup, interval and evidence of the outcome. `rounds` has the log ratio of each round; `digits`
// are those of the figures in the evidence.
void report_session(const judge_request& request, const std::vector<compared_shape>& shapes,
                    const std::vector<double>& rounds, const sign_test& overall, int digits, judge_outcome& out);

} // namespace kevolve
