// The link's check of the node's own devices.
#pragma once

#include "actors/cluster/link_steps.hpp"

namespace kevolve {

// Compares the node's devices with what it has announced, at the first heartbeat and at intervals, and quarantines the
// node if one differs.
void check_devices(cluster_link_pointer self);

} // namespace kevolve
