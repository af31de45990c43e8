// Reads a device's state from the driver's management library: clocks, power, temperature, processes. It changes no
// setting.
#pragma once

#include "backends/device_sample.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kevolve::cuda {

// The values that the library reports for this device; others are null.
struct device_noise {
  std::optional<uint32_t> sm_mhz;
  std::optional<uint32_t> memory_mhz;
  std::optional<uint32_t> milliwatts;
  std::optional<uint32_t> celsius;
  std::optional<uint64_t> throttle_reasons;
  std::optional<uint32_t> processes; // number of processes with a compute context
};

// Returns the nvidia-smi names of the mask's reasons that slow the device below its settings. Idling does not count.
std::vector<std::string> throttle_names(uint64_t reasons);
// Converts the state to a device sample. `ours` is the maximal number of our own processes on the device.
device_sample to_sample(const device_noise& w, size_t ours, int64_t time_ns);

class management {
public:
  // Opens the device with this PCI address. errc::unsupported: libnvidia-ml.so.1 is missing or does not know the
  // device.
  static result<management> open(const std::string& pci);
  device_noise read() const;
  std::string driver_version() const;
  uint32_t most_sm_mhz() const;

private:
  struct functions;
  const functions* call_ = nullptr;
  void* device_ = nullptr;
};

} // namespace kevolve::cuda
