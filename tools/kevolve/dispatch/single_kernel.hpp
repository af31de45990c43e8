// The dispatcher against the fastest of its kernels alone. Pure.
#pragma once

#include "backends/protocol.hpp"
#include "tools/kevolve/dispatch/non_inferiority.hpp"

#include <cstddef>
#include <vector>

namespace kevolve::dispatch {

// The dispatcher's speed-up over that kernel, over the declared shapes.
struct against_single : speedup_interval {
  size_t kernel = 0;         // index
  regression_test test = {}; // of the dispatcher, with that kernel as the baseline
  bool loses() const { return test.result == regression::inferior; }
};

// Returns the index of the kernel with the highest speed-up over the reference.
size_t fastest_single(const std::vector<double>& speedups);

// Returns the log ratio of each round: the weighted mean over the declared shapes of the logs of their pairs with that
// number. The judge times one pair of each declared shape in a round.
std::vector<double> round_log_ratios(const std::vector<shape_timing>& timings);
// Returns the log ratios of one shape's pairs.
std::vector<double> log_ratios(const shape_timing& t);

// Decides by a judgement of the dispatcher with the kernel as its baseline.
against_single compared_with_single(size_t kernel, const judge_outcome& outcome, const regression_rule& rule);

} // namespace kevolve::dispatch
