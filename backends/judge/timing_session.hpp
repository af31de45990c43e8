// The timed part of a screening or a confirmation: pairs until a rule says enough, and again while the machine disturbs
// them. Written against process_pair, so that every target is timed by the same rules.
#pragma once

#include "backends/judge/evaluation_error.hpp"
#include "backends/judge/judge_settings.hpp"
#include "backends/judge/paired_comparison.hpp"
#include "backends/protocol.hpp"

#include <chrono>

namespace kevolve {

// The rules of a session that depend on the target. The defaults are those of a processor core.
struct timing_rules {
  uint32_t held_out_pairs = 8; // of each held-out shape, in a confirmation
  // Calls below this are not judged by the first pairs, because a moment's disturbance outlasts them.
  std::chrono::milliseconds short_calls{20};
  // A candidate this many times slower is out of the question after one pair, and in a confirmation; 0: no such rule.
  double hopeless = 3.0;
  // The last confirmation takes as many rounds as fit into this time; 0: the least number.
  std::chrono::milliseconds time_for_people{2000};
  bool keeps_discarded_samples = true; // of a session that is repeated, in the evidence
  int digits = 4;                      // of figures in the evidence
  // Sessions of the last confirmation, each with its own processes: an interval from one of them leaves out what the
  // processes drew when they started.
  uint32_t final_sessions = 5;
};

// Runs sessions until one counts. Fills in the decision, the speedup with its interval, the timings and the evidence;
// of what there is, if it ends with an error.
attempt<void> run_timing_session(const timing_rules& rules, const noise_limits& calm, const judge_request& request,
                                 const request_hooks& hooks, process_pair& processes, paired_comparison& comparison,
                                 judge_outcome& out);

// Returns an error once the request is cancelled or its limit has passed.
attempt<void> still_wanted(const request_hooks& hooks);

} // namespace kevolve
