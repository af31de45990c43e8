// Keeps the data directory within the rule of retention: hears of ended campaigns, and forgets the oldest of them.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/campaign/pinned_results.hpp"
#include "actors/interfaces.hpp"
#include "store/store.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <memory>
#include <vector>

namespace kevolve {

struct retention_state {
  static inline const char* name = "retention";
  card_ptr card;
  std::shared_ptr<store> data;
  campaigns_actor campaigns;
  std::shared_ptr<pinned_results> held;
  uint64_t keep = 0;  // candidates of ended campaigns; 0: all
  bool busy = false;  // from a tick to the end of what it found
  bool again = false; // a tick came meanwhile
  std::vector<id128> asked;
  std::vector<id128> free; // of those asked for, that nobody works on
};

// Reacts to (atom::tick). Waits for the disk: on a thread of its own.
caf::behavior retention(caf::stateful_actor<retention_state>* self, card_ptr card, std::shared_ptr<store> data,
                        campaigns_actor campaigns, std::shared_ptr<pinned_results> held, uint64_t keep);

} // namespace kevolve
