#include "backends/amd/launch_limits.hpp"

namespace kevolve::hip {

device_limits limits_of(std::string_view architecture) {
  device_limits out;
  out.name = architecture;
  out.capability = 1; // marks the limits as known; AMD has no such number
  out.threads_per_block = 1024;
  out.block = {1024, 1024, 1024};
  out.grid = {2'147'483'647, 65'535, 65'535};
  out.shared_opt_in = lds_of_unit(architecture);
  out.cooperative = true;
  return out;
}

std::map<std::string, kernel_facts> facts_of(const std::vector<code_kernel>& kernels) {
  std::map<std::string, kernel_facts> out;
  for (const auto& k : kernels) {
    auto& f = out[k.name];
    f.static_shared = static_cast<uint32_t>(k.lds_bytes);
    f.most_threads = static_cast<uint32_t>(k.most_threads);
    f.parameters = k.parameters;
    f.parameters_known = k.parameters_known;
  }
  return out;
}

} // namespace kevolve::hip
