// What a device was like at one moment, as far as its driver or the operating system tells: what is unknown is not
// there, never 0. Every target's judge reads one with each job; the device's actor keeps them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

struct device_sample {
  int64_t time_ns = 0;                        // wall clock, since the epoch; 0: nothing was ever read
  std::map<std::string, uint32_t> clocks_mhz; // by a name from a short list of the target's: "sm", "memory", "core"
  std::optional<uint32_t> milliwatts;
  std::optional<int32_t> celsius;
  std::optional<std::vector<std::string>> throttled_by; // in the target's words, sorted; empty: nothing slows it down
  std::optional<uint32_t> foreign_processes;            // at least so many that are not ours use it
};

template <class I>
typename I::result_type inspect(I& f, device_sample& x) {
  return f(x.time_ns, x.clocks_mhz, x.milliwatts, x.celsius, x.throttled_by, x.foreign_processes);
}

} // namespace kevolve
