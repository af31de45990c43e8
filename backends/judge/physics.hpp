// The time below which no implementation can be: the least work a task declares, over this device's peaks.
#pragma once

#include "backends/judge/call_data.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

struct memory_level {
  std::string name;           // "l1" "l2" "l3" "dram"
  int64_t capacity_bytes = 0; // 0: without end
  double bytes_per_second = 0.0;
};

// Measured on this device by our own probes.
struct device_peaks {
  double flops_per_second = 0.0;    // f32 multiply and add, all cores a candidate may use
  std::vector<memory_level> levels; // smallest first
};

// Nanoseconds; 0 if the peaks are unknown. A task that declares no work has to write its outputs. The bandwidth is that
// of the smallest level that holds `working_set_bytes`: a DRAM floor would accuse honest cached kernels.
result<double> physics_floor_ns(const contract& task, const call_data& data, size_t working_set_bytes,
                                const device_peaks& peaks);

// What the arrays hold; the guard bands between them are nobody's working set, and would move a small one out of
// the cache that it lies in.
size_t working_set_bytes(const call_data& data);

// A time below this share of the floor is impossible.
inline constexpr double impossible_below = 0.9;

} // namespace kevolve
