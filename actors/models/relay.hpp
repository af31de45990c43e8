// The relay: prompts wait here until an outside client fetches them and brings the reply. The waiting prompts are those
// of live campaigns. Questions and answers are in the journal, so a restart loses neither.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/interfaces.hpp"
#include "actors/models/relay_queue.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace kevolve {

struct relay_state {
  static inline const char* name = "relay";

  struct item {
    model_question question;
    caf::actor_addr asker;
    caf::typed_response_promise<model_reply> promise;
    bool being_answered = false; // an answer is being stored
  };

  actor_status_ptr own_status;
  journal_actor journal;
  std::function<int64_t()> now_ns; // wall clock, since the epoch
  synthesis::relay_queue queue;
  std::map<exchange_id, item> items;
  std::set<exchange_id> being_stored;         // answers being stored whose question nobody asks now
  std::map<exchange_id, std::string> unheard; // such answers once stored, for askers that had looked before
  std::set<caf::actor_addr> watched;          // askers

  ~relay_state();
};

relay_actor::behavior_type relay(relay_actor::stateful_pointer<relay_state> self, actor_status_ptr own_status,
                                 journal_actor journal, std::function<int64_t()> now_ns);

} // namespace kevolve
