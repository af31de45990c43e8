// One line a pass.
#include "backends/amd/profile/passes.hpp"
#include "backends/cpu/profile/passes.hpp"
#include "backends/nvidia/profile/passes.hpp"
#include "backends/profile/passes.hpp"

#include <algorithm>

namespace kevolve {

std::span<const profile_pass> profile_passes() {
  static const std::vector<profile_pass> passes{
      roofline_pass(),         // every target
      cpu_ceilings_pass(),     // cpu
      cpu_loops_pass(),        // cpu
      cpu_remarks_pass(),      // cpu
      cpu_ports_pass(),        // cpu
      cpu_counters_pass(),     // cpu
      cpu_experiments_pass(),  // cpu
      cpu_exact_counts_pass(), // cpu
      cpu_diagnosis_pass(),    // cpu
      device_bound_pass(),     // cuda, triton, hip
      device_counters_pass(),  // cuda, triton
      gpu_occupancy_pass(),    // cuda, triton
      gpu_code_pass(),         // cuda, triton
      gpu_timeline_pass(),     // cuda, triton
      gpu_ncu_pass(),          // cuda, triton
      gpu_proton_pass(),       // triton
      gpu_diagnosis_pass(),    // cuda, triton
      amd_code_pass(),         // hip
  };
  return passes;
}

const profile_pass* find_pass(std::string_view name) {
  const auto all = profile_passes();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.name == name; });
  return found == all.end() ? nullptr : &*found;
}

} // namespace kevolve
