// Lists the devices through the driver's management library. No context is made, and the library is closed afterwards.
// The daemon uses this and never the driver itself.
#pragma once

#include "runtime/base/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::cuda {

struct gpu {
  std::string name;        // for example "NVIDIA H200"
  std::string uuid;        // for example "GPU-…"
  uint32_t capability = 0; // compute capability, for example 90
  uint64_t memory_bytes = 0;
};

struct gpu_list {
  std::string driver;   // for example "570.86.15"
  std::string cuda;     // newest CUDA version that this driver supports, "12.8"
  std::vector<gpu> all; // as programs number them on this machine: by PCI address, limited to CUDA_VISIBLE_DEVICES
};

// Lists the devices. errc::unsupported names the missing part.
result<gpu_list> list_gpus();

// Returns the indices of the devices that a value of CUDA_VISIBLE_DEVICES selects, in its order. The first word that
// matches no device ends the list.
std::vector<size_t> visible_gpus(const std::string& value, const std::vector<gpu>& all);

} // namespace kevolve::cuda
