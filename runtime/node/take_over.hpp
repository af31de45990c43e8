// Takes campaigns of the cluster for this node: at its start those that were its own, and later those of nodes that are
// gone. It also stops those that another node has taken. Every two seconds it asks PostgreSQL where campaigns live.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/interfaces.hpp"
#include "runtime/node/cluster_journal.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace kevolve {

struct take_over_state {
  static inline const char* name = "take_over";
  actor_status_ptr own_status;
  std::shared_ptr<cluster_journal> records;
  std::shared_ptr<store> data; // of this node
  campaigns_actor campaigns;
  std::deque<std::pair<id128, std::string>> waiting; // campaigns to take, and whose they were
  std::map<id128, std::string> told;                 // why campaigns do not go on here, as logged last
  bool began = false;                                // its own campaigns are among those waiting
};

// Spawn it detached: it waits for PostgreSQL. A failure goes to its status and the log, and the next look tries again.
caf::behavior take_over(caf::stateful_actor<take_over_state>* self, actor_status_ptr own_status,
                        std::shared_ptr<cluster_journal> records, std::shared_ptr<store> data,
                        campaigns_actor campaigns);

} // namespace kevolve
