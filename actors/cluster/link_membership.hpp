// The link's membership in the cluster: joins, keeps the node's row alive, watches the other nodes, and leaves.
#pragma once

#include "actors/cluster/link_steps.hpp"

#include <chrono>
#include <string>

namespace kevolve {

// PostgreSQL does not answer, or refuses: everything is kept, and the next tick tries again.
void went_away(cluster_link_pointer self, const failure& why);

// Returns true for an answer; otherwise the link is away from now on.
template <class T>
bool reached(cluster_link_pointer self, const result<T>& r) {
  if (r)
    return true;
  went_away(self, r.error());
  return false;
}

// Joins the cluster unless the node is in it. Returns false while PostgreSQL is away.
bool join(cluster_link_pointer self);
// PostgreSQL has taken all that the node had to tell: it counts as back, and slots of other nodes are offered. After it
// was full, it must take some bytes first.
void confirm_joined(cluster_link_pointer self);
// Lists the nodes, and makes as many slots as they have.
void look_at_nodes(cluster_link_pointer self);
// Says that the node lives, and sends the next tick.
void beat(cluster_link_pointer self);
// Drains or undrains the node of a name. errc::not_found: there is none.
caf::result<bool> drain(cluster_link_pointer self, const std::string& name, bool on);

// Takes nothing new; once the guests have ended, or the time is over, leaves the cluster. Answers true then.
caf::result<bool> begin_leaving(cluster_link_pointer self, std::chrono::milliseconds limit);
void leave_now(cluster_link_pointer self);

} // namespace kevolve
