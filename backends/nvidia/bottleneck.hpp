// Finds the dominant bottleneck of a candidate on one shape from the roofline model (Williams, Waterman and Patterson,
// 2009), the time of an empty launch, and the occupancy of its launches.
#pragma once

#include "backends/nvidia/occupancy.hpp"

#include <map>
#include <string>
#include <vector>

namespace kevolve {

// The time of one call in nanoseconds, and of the same work at each roof. 0 means unknown.
struct call_roofs {
  double took_ns = 0.0;
  double memory_ns = 0.0;  // the least bytes at the measured rate of copies
  double compute_ns = 0.0; // the least operations at the published rate of the type
  double launch_ns = 0.0;  // an empty kernel between the same two events
};

struct filled {
  std::string kernel;
  occupancy how;
};

struct bottleneck {
  std::string bound; // "memory", "compute", "launch", "occupancy" or "latency"; empty: unknown
  std::string why;   // the figures behind `bound`, for a person
};

bottleneck bottleneck_of(const call_roofs& roofs, const std::vector<filled>& launches);

} // namespace kevolve
