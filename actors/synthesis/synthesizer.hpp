// The synthesizer: turns a selection into a candidate. It reads the ancestors, computes the context, and asks a
// generator.
#pragma once

#include "actors/campaign/campaign_context.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace kevolve {

struct synthesizer_state {
  static inline const char* name = "synthesizer";

  // One step in progress.
  struct work {
    uint64_t serial = 0;
    synthesis_step step;
    std::map<uint64_t, ancestor> read;
    std::vector<uint64_t> to_read;
    bool for_a_model = false;
    // Evaluations that a prompt describes, with their nodes: the first parent's, and those of the fastest candidate.
    std::vector<std::pair<uint64_t, id128>> told;
    caf::typed_response_promise<candidate> promise;
  };
  using work_ptr = std::shared_ptr<work>;

  actor_status_ptr own_status;
  campaign_context_ptr context;
  std::map<uint64_t, work_ptr> under_way;
  struct known {
    ancestor node;
    std::vector<id128> told; // its compile, and its last evaluation
  };
  std::map<uint64_t, known> finished; // already read, by index: their records no longer change
  uint64_t last_serial = 0;

  ~synthesizer_state();
};

synthesizer_actor::behavior_type synthesizer(synthesizer_actor::stateful_pointer<synthesizer_state> self,
                                             actor_status_ptr own_status, campaign_context_ptr context);

} // namespace kevolve
