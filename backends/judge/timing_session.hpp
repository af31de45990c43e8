// The timed part of a screening or a confirmation: pairs until a rule says enough, and again while the machine disturbs
// them.
#pragma once

#include "backends/judge/evaluation_error.hpp"
#include "backends/judge/input_sets.hpp"
#include "backends/judge/paired_comparison.hpp"
#include "backends/protocol.hpp"

namespace kevolve {

// Fills in the decision, the speedup with its interval, the timings and the evidence, of what there is at a error
// too.
attempt<void> run_timing_session(const judge_settings& settings, const judge_request& request,
                                 const request_hooks& hooks, paired_comparison& d, judge_outcome& out);

// A error once the request is cancelled or its limit has passed.
attempt<void> still_wanted(const request_hooks& hooks);

} // namespace kevolve
