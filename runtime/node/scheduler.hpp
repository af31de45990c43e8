// Grants compiler slots and devices under leases, to campaigns in fair shares by their weights. The state is the
// current offers: after a crash the resources offer themselves again.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/interfaces.hpp"
#include "runtime/node/lease_accounts.hpp"

#include <caf/actor_clock.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <deque>
#include <map>
#include <set>
#include <string>

namespace kevolve {

struct scheduler_state {
  static inline const char* name = "scheduler";

  struct resource {
    resource_offer offer;
    uint64_t epoch = 0;
    uint64_t lease = 0; // 0: the resource is free
    caf::actor_addr holder;
    id128 campaign; // campaign of the current or the last lease, and its weight
    uint32_t weight = default_priority;
    double charge = 0.0;
    caf::actor_clock::time_point since; // time at which it was leased or became free
    uint64_t granted = 0;
    bool up = false;
  };
  struct waiter {
    lease_request request;
    caf::actor_addr asker;
    caf::typed_response_promise<lease> promise;
  };

  actor_status_ptr own_status;
  uint64_t first_epoch = 0; // above every epoch and lease of earlier instances and sessions
  uint64_t last_lease = 0;
  std::map<std::string, resource> resources; // by id
  std::deque<waiter> queue;
  std::set<caf::actor_addr> watched; // askers under monitoring
  lease_accounts accounts;

  ~scheduler_state();
};

scheduler_actor::behavior_type scheduler(scheduler_actor::stateful_pointer<scheduler_state> self,
                                         actor_status_ptr own_status, uint64_t first_epoch);

} // namespace kevolve
