// What this core can do at most, by our own probes: the roof under the physics floor. A disturbed probe
// reads low and a low roof accuses the innocent, so only the best of all readings counts.
#pragma once

#include "backends/judge/physics.hpp"
#include "runtime/base/result.hpp"

#include <map>
#include <string>

namespace kevolve {

class peak_meter {
public:
  explicit peak_meter(size_t thread_cores) : thread_cores_(thread_cores) {}

  // Measures, about 0.2 s, and keeps the best of this and earlier readings. A failure says that a known
  // answer came out wrong: the device is sick.
  result<void> measure();
  bool measured() const { return single_.flops_per_second > 0.0; }

  device_peaks of_core() const { return single_; }
  device_peaks of_all_cores() const;
  // "peak.flops_per_s", "peak.l1_bytes_per_s", …
  std::map<std::string, std::string> facts() const;

private:
  size_t thread_cores_;
  device_peaks single_;
};

} // namespace kevolve
