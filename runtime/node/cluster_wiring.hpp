// The places where a node's actors meet its cluster. Without [cluster] each of them does nothing.
#pragma once

#include "actors/journal/journal.hpp"
#include "runtime/node/node_parts.hpp"
#include "runtime/node/supervisor.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kevolve {

// Makes the proxy of the link to the cluster, and returns what the journal does for the cluster.
journal_hooks journal_hooks_of(node_parts& p);
// Adds the link, with what this node offers.
void add_cluster_link(node_parts& p, std::vector<child_spec>& out);
// Starts the actor of a provider whose key another node holds.
std::function<caf::actor(caf::event_based_actor*, uint64_t)> remote_provider_start(node_parts& p,
                                                                                   const std::string& provider);
// Adds the actor that takes campaigns of the cluster, where this node keeps some.
void add_take_over(node_parts& p, std::vector<child_spec>& out);
// Lets jobs of other nodes end, returns the others, and tells the cluster.
void leave_cluster(node_parts& p);

} // namespace kevolve
