// The relay: prompts wait here until somebody outside comes for them and brings the answer. What waits is what live
// campaigns ask; what was asked and answered is in the journal, so a restart loses neither.
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
    bool being_answered = false; // an answer is on its way to the disk
  };

  card_ptr card;
  journal_actor journal;
  std::function<int64_t()> now_ns; // wall clock, since the epoch
  synthesis::relay_queue queue;
  std::map<exchange_id, item> items;
  std::set<exchange_id> being_stored;         // answers to what nobody asks now, on their way to the disk
  std::map<exchange_id, std::string> unheard; // the same, stored: for who had looked before they were
  std::set<caf::actor_addr> watched;          // askers

  ~relay_state();
};

relay_actor::behavior_type relay(relay_actor::stateful_pointer<relay_state> self, card_ptr card, journal_actor journal,
                                 std::function<int64_t()> now_ns);

} // namespace kevolve
