// The node's directory of campaigns: records what is submitted, starts each under a supervisor of its own.
#pragma once

#include "runtime/node/campaign_parts.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kevolve {

struct campaigns_state {
  static inline const char* name = "campaigns";

  struct entry {
    campaign_context_ptr context;
    caf::actor supervisor;
    std::string failure; // its supervisor gave up
  };
  card_ptr card;
  node_ground ground;
  std::map<id128, entry> running;
  std::map<id128, campaign_submission> ending; // started again once their former supervisor is gone
};

campaigns_actor::behavior_type campaigns(campaigns_actor::stateful_pointer<campaigns_state> self, card_ptr card,
                                         node_ground ground, bool resume_all);

} // namespace kevolve
