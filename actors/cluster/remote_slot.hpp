// An actor that stands for a slot of another node. It looks to the scheduler like a compile worker or a device: it is
// offered, leased, and runs one job at a time. But the job goes to the cluster's queue.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/cluster/capacity.hpp"
#include "actors/cluster/cluster_messages.hpp"
#include "actors/interfaces.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <string>
#include <vector>

namespace kevolve {

struct remote_slot_setup {
  resource_offer offer; // its handle is set at each offer
  resource_class what;
  scheduler_actor scheduler;
  cluster_actor cluster;
};

template <class Outcome>
struct remote_slot_state {
  static inline const char* name = "remote_slot";
  actor_status_ptr own_status;
  remote_slot_setup setup;
  uint64_t epoch = 0; // of the last offer, from the scheduler; 0: not offered
  id128 job;          // in progress; zero: idle
  bool offer_due = false;
  bool withdrawn = false; // ends once it is idle
  caf::actor_addr scheduler_instance;
  caf::typed_response_promise<Outcome> promise;

  ~remote_slot_state();
};

// Return the behaviour of a slot for compile jobs, and of one for judge jobs. The slot offers itself at once, and anew
// after each job. The link ends it by atom::helper_end.
compiler_worker_actor::behavior_type
remote_compiler(compiler_worker_actor::stateful_pointer<remote_slot_state<compile_outcome>> self,
                actor_status_ptr own_status, remote_slot_setup setup);
device_actor::behavior_type remote_device(device_actor::stateful_pointer<remote_slot_state<judge_outcome>> self,
                                          actor_status_ptr own_status, remote_slot_setup setup);

} // namespace kevolve
