// Which devices there are, as the driver's management library tells it: no context is made, and nothing of the library
// stays open. The daemon asks this and never the driver itself.
#pragma once

#include "runtime/base/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::cuda {

struct gpu {
  std::string name;        // "NVIDIA H200"
  std::string uuid;        // "GPU-…"
  uint32_t capability = 0; // 90
  uint64_t memory_bytes = 0;
};

struct gpu_list {
  std::string driver;   // "570.86.15"
  std::string cuda;     // the newest that this driver runs: "12.8"
  std::vector<gpu> all; // as programs number them here: by PCI address, those of CUDA_VISIBLE_DEVICES
};

// errc::unsupported says what is missing.
result<gpu_list> list_gpus();

// Of `count` devices those that a value of CUDA_VISIBLE_DEVICES leaves, in its order: it ends at the first word that
// names none of them.
std::vector<size_t> visible_gpus(const std::string& value, const std::vector<gpu>& all);

} // namespace kevolve::cuda
