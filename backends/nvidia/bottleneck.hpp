// Finds the dominant bottleneck of a candidate on one shape from the roofline model, the time of an empty launch, and
// its launches' occupancy. Source: Williams, Waterman and Patterson, 2009, for the roofline model.
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
  double took_ns = 0.0; // by the device's records; 0: unknown
};

struct bottleneck {
  std::string bound; // "memory", "compute", "launch", "occupancy" or "latency"; empty: unknown
  std::string why;   // the figures behind `bound`, for a person
};

// Returns the kernel to speak of: the one that takes most of the time, all its launches together. Where times are
// unknown, it is the one that fills the device least. Null: nothing is known of any.
const filled* telling_kernel(const std::vector<filled>& launches);

bottleneck bottleneck_of(const call_roofs& roofs, const std::vector<filled>& launches);

} // namespace kevolve
