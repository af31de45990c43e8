// The diagnosis of a candidate on a processor: which bottlenecks explain its time, with evidence. Pure.
#pragma once

#include "backends/cpu/profile/cpu_facts.hpp"
#include "backends/profile/finding.hpp"

#include <vector>

namespace kevolve {

// Returns the findings, the one that explains most first; unknown alone if nothing is known about the call. A finding's
// rank is its share of the time, weighed by the confidence in it.
std::vector<finding> diagnose(const cpu_facts& facts);

} // namespace kevolve
