// How much of a multiprocessor a launch fills, by the published limits of each compute capability (CUDA C++ Programming
// Guide, "Compute Capabilities"; the method is that of NVIDIA's occupancy calculator).
#pragma once

#include "backends/launch_plan/plan_resolution.hpp"

namespace kevolve {

struct occupancy {
  uint32_t blocks = 0;  // resident on one multiprocessor at once; 0: the capability is unknown to us
  double threads = 0.0; // share of the threads that it can hold
  double waves = 0.0;   // blocks of the grid over blocks that the whole device holds at once
  std::string limit;    // what allows no more: "threads" "blocks" "registers" "shared memory"
};

occupancy occupancy_of(const resolved_launch& launch, const kernel_facts& facts, const device_limits& device);

// Registers of a block: handed out to whole warps, in units of 256.
uint64_t registers_of_block(uint64_t threads, uint64_t per_thread);

} // namespace kevolve
