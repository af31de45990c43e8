// Computes the occupancy of a launch from the published limits of each compute capability, with the method of NVIDIA's
// occupancy calculator. Source: CUDA C++ Programming Guide, "Compute Capabilities".
#pragma once

#include "backends/launch_plan/plan_resolution.hpp"

namespace kevolve {

struct occupancy {
  uint32_t blocks = 0;  // resident on one multiprocessor at once; 0: unknown capability
  double threads = 0.0; // share of the threads that a multiprocessor can hold
  double waves = 0.0;   // blocks of the grid over blocks that the whole device holds at once
  std::string limit;    // the limiting resource: "threads", "blocks", "registers" or "shared memory"
};

occupancy occupancy_of(const resolved_launch& launch, const kernel_facts& facts, const device_limits& device);

// Returns the registers of a block. They are allocated to whole warps, in units of 256.
uint64_t registers_of_block(uint64_t threads, uint64_t per_thread);

} // namespace kevolve
