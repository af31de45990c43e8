// A candidate for a GPU in a bundle: its machine code, its launch plan, and its speed by shape.
#pragma once

#include "backends/launch_plan/launch_plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

struct device_kernel {
  uint64_t node = 0;
  std::string source; // the whole text, with the plan
  std::string language;
  std::string flags;
  std::vector<double> speedups; // over the reference, by the task's shapes; 0: not known

  // The rest is known once the source is compiled.
  std::string architecture;         // "sm_90a"
  std::vector<std::string> modules; // cubins
  launch_plan plan;
};

// Slower kernels than this many times the reference are chosen for no shape.
inline constexpr double least_speedup = 0.95;

} // namespace kevolve
