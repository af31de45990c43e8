// A generator of one campaign: holds the fixed context and proposes on request.
#pragma once

#include "actors/campaign/campaign_context.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <memory>
#include <string>
#include <vector>

namespace kevolve {

struct generator_state {
  static inline const char* name = "generator";

  actor_status_ptr own_status;
  campaign_context_ptr context;
  std::unique_ptr<generator> maker;
  synthesis_context fixed; // requests fill in the variable fields
  bool ready = false;      // the syntax tree has been read
  std::vector<std::pair<generate_request, caf::typed_response_promise<proposal>>> waiting;

  ~generator_state();
};

generator_actor::behavior_type generator_of(generator_actor::stateful_pointer<generator_state> self,
                                            actor_status_ptr own_status, campaign_context_ptr context,
                                            std::string kind);

} // namespace kevolve
