// Profiles one candidate for its campaign, in a thread of its own and under a lease of the device, then ends. Where
// only other nodes have the device, one of them runs the passes.
#pragma once

#include "actors/campaign/campaign_context.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <chrono>

namespace kevolve {

struct candidate_profiler_state {
  static inline const char* name = "candidate-profiler";

  actor_status_ptr own_status;
  campaign_context_ptr context;
  uint64_t index = 0;
  double limit_s = 0.0;
  std::chrono::steady_clock::time_point begun; // when it had the device, or asked another node
};

// Profiles the candidate of that index in the campaign's tree. The profile ends `limit_s` seconds after the device was
// leased, or another node asked, with what it has found. The campaign gets (atom::profiled, profiling_record),
// once the profile is stored or has failed. Spawn it detached: its passes block. It begins with (atom::begin).
caf::behavior candidate_profiler(caf::stateful_actor<candidate_profiler_state>* self, actor_status_ptr own_status,
                                 campaign_context_ptr context, uint64_t index, double limit_s);

} // namespace kevolve
