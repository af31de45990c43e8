// Peak rates of this core, measured by our own probes, as inputs of the physics floor. A disturbed probe reads too low,
// and a low peak would reject honest candidates, so only the best of all readings counts.
#pragma once

#include "backends/judge/physics.hpp"
#include "runtime/base/result.hpp"

#include <map>
#include <string>

namespace kevolve {

class peak_meter {
public:
  explicit peak_meter(size_t thread_cores) : thread_cores_(thread_cores) {}

  // Measures for about 0.2 s and keeps the best of this and earlier readings. Fails if a probe's result is wrong; then
  // the device is faulty.
  result<void> measure();
  bool measured() const { return single_.flops_per_second > 0.0; }

  device_peaks of_core() const { return single_; }
  device_peaks of_all_cores() const;
  // Returns "peak.flops_per_s", "peak.l1_bytes_per_s", …
  std::map<std::string, std::string> facts() const;

private:
  size_t thread_cores_;
  device_peaks single_;
};

} // namespace kevolve
