// One line a pass.
#include "backends/amd/profile/passes.hpp"
#include "backends/cpu/profile/passes.hpp"
#include "backends/nvidia/profile/passes.hpp"
#include "backends/profile/passes.hpp"
#include "backends/triton/profile/passes.hpp"

#include <algorithm>

namespace kevolve {

namespace {

profile_pass in(std::string_view file, profile_pass p) {
  p.file = file;
  return p;
}

} // namespace

std::span<const profile_pass> profile_passes() {
  static const std::vector<profile_pass> passes{
      in("backends/profile/roofline.cpp", roofline_pass()),                      // every target
      in("backends/cpu/profile/ceilings_pass.cpp", cpu_ceilings_pass()),         // cpu
      in("backends/cpu/profile/loops_pass.cpp", cpu_loops_pass()),               // cpu
      in("backends/cpu/profile/remarks_pass.cpp", cpu_remarks_pass()),           // cpu
      in("backends/cpu/profile/ports_pass.cpp", cpu_ports_pass()),               // cpu
      in("backends/cpu/profile/counters_pass.cpp", cpu_counters_pass()),         // cpu
      in("backends/cpu/profile/experiments_pass.cpp", cpu_experiments_pass()),   // cpu
      in("backends/cpu/profile/exact_counts_pass.cpp", cpu_exact_counts_pass()), // cpu
      in("backends/cpu/profile/diagnosis_pass.cpp", cpu_diagnosis_pass()),       // cpu
      in("backends/profile/device_evidence.cpp", device_bound_pass()),           // cuda, triton, hip
      in("backends/profile/device_evidence.cpp", device_counters_pass()),        // cuda, triton
      in("backends/nvidia/profile/occupancy_pass.cpp", gpu_occupancy_pass()),    // cuda, triton
      in("backends/nvidia/profile/code_pass.cpp", gpu_code_pass()),              // cuda, triton
      in("backends/nvidia/profile/timeline_pass.cpp", gpu_timeline_pass()),      // cuda, triton
      in("backends/nvidia/profile/ncu_pass.cpp", gpu_ncu_pass()),                // cuda, triton
      in("backends/triton/profile/proton_pass.cpp", gpu_proton_pass()),          // triton
      in("backends/nvidia/profile/diagnosis_pass.cpp", gpu_diagnosis_pass()),    // cuda, triton
      in("backends/amd/profile/code_pass.cpp", amd_code_pass()),                 // hip
  };
  return passes;
}

const profile_pass* find_pass(std::string_view name) {
  const auto all = profile_passes();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.name == name; });
  return found == all.end() ? nullptr : &*found;
}

} // namespace kevolve
