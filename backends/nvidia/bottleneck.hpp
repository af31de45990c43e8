// What holds a candidate up on one shape: by the roofline model (Williams, Waterman and Patterson, 2009), the time of
// an empty launch, and what its launches fill of the device.
#pragma once

#include "backends/nvidia/occupancy.hpp"

#include <map>
#include <string>
#include <vector>

namespace kevolve {

// Nanoseconds of one call, and what the same work takes at each roof; 0: unknown.
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
  std::string bound; // "memory" "compute" "launch" "occupancy" "latency"; empty: nothing is known
  std::string why;   // the figures that say so, for a person
};

bottleneck bottleneck_of(const call_roofs& roofs, const std::vector<filled>& launches);

} // namespace kevolve
