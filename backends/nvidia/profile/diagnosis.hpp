// The diagnosis of a candidate on a device: which bottlenecks explain its time, with evidence. Pure.
#pragma once

#include "backends/nvidia/profile/device_facts.hpp"

#include <vector>

namespace kevolve {

// Returns the findings, the one that explains most first; none if nothing is known about the call. A finding's share is
// of the call's time. Confidence is 0.9 where a counter or a measured time says so, 0.85 for a unit near its peak. It
// is 0.7 where several of them imply it, 0.5 by the occupancy model, 0.3 by the machine code alone.
std::vector<finding> diagnose_device(const device_facts& facts);

} // namespace kevolve
