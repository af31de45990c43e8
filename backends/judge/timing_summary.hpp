// The figures of a timing session: per shape and overall. Pure.
#pragma once

#include "backends/judge/disturbance.hpp"
#include "backends/judge/process_pair.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

// Returns "baseline/candidate" of each pair, ns.
std::string samples_of(const compared_shape& shape);

// Returns the ratio of the fastest calls, over the declared shapes; 0 without a baseline. Disturbances only ever add
// time, so after a few pairs this says more than a median does.
double best_against_best(const std::vector<compared_shape>& shapes);

// Returns the fastest call of the candidate's on the shape where that is longest.
std::chrono::nanoseconds longest_best_call(const std::vector<compared_shape>& shapes);

// Returns true if every round leads by a half and more, and the baseline's calls are slow: a candidate that does this
// over a few rounds is far ahead, and more of them take long.
bool is_far_ahead(const std::vector<double>& log_ratios, std::chrono::nanoseconds longest_baseline_call);
// Returns the baseline's fastest call on the shape where that is longest.
std::chrono::nanoseconds longest_baseline_call(const std::vector<compared_shape>& shapes);

// Returns why a screening ended early for a candidate that is behind its parent.
std::string behind_the_parent(double parent_lead, size_t pairs);

// Returns the time of a round's calls, by what the reference takes.
std::chrono::nanoseconds round_ns(const std::vector<compared_shape>& shapes);

// Adds up the calls on each declared shape.
std::vector<side_by_side> sums_of(const std::vector<compared_shape>& shapes, bool candidate_wins);

// The log ratios of a session's rounds. A round is one pair on each declared shape.
struct timed_rounds {
  std::vector<double> calls;
  std::vector<double> with_read; // of the same calls and a read of their outputs; empty: not read
  std::vector<size_t> starts;    // the first round of each session of its own processes
};

// Returns the weighted mean of the last pairs' log ratios with their outputs read, over the declared shapes; nothing if
// a shape's were not read.
std::optional<double> last_round_with_read(const std::vector<compared_shape>& shapes);

// Fills in timings, speedup, interval and evidence of the outcome; `digits` are those of the figures in the evidence.
// The headline is the lower one of a confirmation's two figures, unless the task says that nobody reads the outputs.
void report_session(const judge_request& request, const std::vector<compared_shape>& shapes, const timed_rounds& rounds,
                    const sign_test& overall, int digits, judge_outcome& out);

} // namespace kevolve
