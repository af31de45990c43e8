// The dispatcher against the fastest of its kernels alone. Pure.
#pragma once

#include "backends/protocol.hpp"
#include "tools/kevolve/dispatch/plan.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace kevolve::dispatch {

// The dispatcher's speed-up over that kernel, over the declared shapes, by the calls alone.
struct against_single : speedup_interval {
  size_t kernel = 0;         // index
  regression_test test = {}; // of the dispatcher, with that kernel as the baseline
  interval_basis basis = {};
  bool loses() const { return test.result == regression::inferior; }
};

// The kernel that may run at sizes beyond the task's own.
enum class outside_policy : uint8_t { kernel = 0, reference, not_defined };
// Returns the policy for a task: by the option, and `not_defined` if the task allows its declared sizes alone.
outside_policy policy_of(const contract& task, bool reference_outside);

// Returns why a kernel alone must not stand for a dispatcher to which it does not lose. It may have to run beyond the
// task's sizes, where the reference is to run. It may be wrong (`why_not_outside`) or not timed at the probes, or
// inferior to the reference at some shape. Returns an empty text if it may.
std::string why_not_alone(const contract& task, const figures& by_shape, const std::string& why_not_outside,
                          outside_policy policy, const between& beside = {});

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
