// Applies the retention rule to the data directory: it is told of ended campaigns and forgets the oldest of them.
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
  actor_status_ptr own_status;
  std::shared_ptr<store> data;
  campaigns_actor campaigns;
  std::shared_ptr<pinned_results> held;
  uint64_t keep = 0;  // most candidates of ended campaigns; 0: no limit
  bool busy = false;  // true from a tick until its work is done
  bool again = false; // another tick arrived meanwhile
  std::vector<id128> asked;
  std::vector<id128> free; // those of `asked` that no process works on
};

// Reacts to (atom::tick). Waits for the disk, so it runs on a thread of its own.
caf::behavior retention(caf::stateful_actor<retention_state>* self, actor_status_ptr own_status,
                        std::shared_ptr<store> data, campaigns_actor campaigns, std::shared_ptr<pinned_results> held,
                        uint64_t keep);

} // namespace kevolve
