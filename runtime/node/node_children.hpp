// The actors of a node that its supervisors start: what each is made of.
#pragma once

#include "actors/evaluation/profiler_settings.hpp"
#include "runtime/node/node_parts.hpp"
#include "runtime/node/supervisor.hpp"

#include <caf/actor_cast.hpp>

#include <memory>
#include <vector>

namespace kevolve {

// Makes the proxy behind which a child restarts. The handle stays valid meanwhile.
template <class Handle>
Handle add_proxy(caf::actor_system& system, const std::shared_ptr<actor_status_table>& statuses, child_spec& child) {
  child.proxy = spawn_tracked(system, statuses, "proxy", child.kind + " " + child.name, 0, proxy);
  return caf::actor_cast<Handle>(child.proxy);
}

// Returns the journal and the scheduler.
std::vector<child_spec> core_children(node_parts& p);
// Models, the link to the cluster, the relay, compile workers and devices.
std::vector<child_spec> resource_children(node_parts& p);
// Returns the directory of campaigns, and what runs beside it.
std::vector<child_spec> work_children(node_parts& p);

// Returns how this node starts its profilers.
profiler_settings profilers_of(const node_options& options);
// Returns the number of compile workers of a target.
size_t compilers_of(const node_parts& p, const target& t);
// A target without devices here is served only where devices are elsewhere.
bool is_served(const node_parts& p, const std::string& name, const target& t);

} // namespace kevolve
