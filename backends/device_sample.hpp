// The state of a device at one moment, as reported by its driver or the operating system. Unknown values are absent,
// never 0. Every target's judge takes a sample with each job; the device's actor keeps them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

struct device_sample {
  int64_t time_ns = 0;                        // wall clock since the epoch; 0: no sample was taken
  std::map<std::string, uint32_t> clocks_mhz; // by clock name, from the target's short list: "sm", "memory", "core"
  std::optional<uint32_t> milliwatts;
  std::optional<int32_t> celsius;
  std::optional<std::vector<std::string>> throttled_by; // in the target's words, sorted; empty: not throttled
  std::optional<uint32_t> foreign_processes; // lower bound on the number of other users' processes on the device
};

template <class I>
typename I::result_type inspect(I& f, device_sample& x) {
  return f(x.time_ns, x.clocks_mhz, x.milliwatts, x.celsius, x.throttled_by, x.foreign_processes);
}

} // namespace kevolve
