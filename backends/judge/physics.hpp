// A lower bound on a call's time: the least work that the task declares, divided by this device's peak rates.
#pragma once

#include "backends/judge/call_data.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

struct memory_level {
  std::string name;           // "l1", "l2", "l3" or "dram"
  int64_t capacity_bytes = 0; // 0: unlimited
  double bytes_per_second = 0.0;
};

// The device's peak rates, measured by our own probes.
struct device_peaks {
  double flops_per_second = 0.0;    // f32 multiplications and additions, over all cores that a candidate may use
  std::vector<memory_level> levels; // smallest first
};

// Returns the bound in nanoseconds; 0 if the peaks are unknown. A task without declared work must at least write its
// outputs. The bandwidth is that of the smallest level that holds `working_set_bytes`, since a DRAM bound would reject
// kernels that run from the cache.
result<double> physics_floor_ns(const contract& task, const call_data& data, size_t working_set_bytes,
                                const device_peaks& peaks);

// Returns the bytes of all arrays, without the guard bands between them.
size_t working_set_bytes(const call_data& data);

// A time below this share of the floor is impossible.
inline constexpr double impossible_below = 0.9;

} // namespace kevolve
