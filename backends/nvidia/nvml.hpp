// What the driver's management library says of a device: clocks, power, temperature, who else is on it. Read only:
// nothing here changes a setting.
#pragma once

#include "backends/device_sample.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kevolve::cuda {

// Without what the library does not tell of this device.
struct device_noise {
  std::optional<uint32_t> sm_mhz;
  std::optional<uint32_t> memory_mhz;
  std::optional<uint32_t> milliwatts;
  std::optional<uint32_t> celsius;
  std::optional<uint64_t> throttle_reasons;
  std::optional<uint32_t> processes; // with a compute context
};

// The reasons of this mask that slow the device down below what it is set to, by the names of nvidia-smi; idling is
// none.
std::vector<std::string> throttle_names(uint64_t reasons);
// What of it others are told; `ours`: the most of the processes that may be ours.
device_sample to_sample(const device_noise& w, size_t ours, int64_t time_ns);

class management {
public:
  // By PCI address. errc::unsupported where libnvidia-ml.so.1 is missing or knows no such device.
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
