// What the driver's management library says of a device: clocks, power, temperature, who else is on it. Read only:
// nothing here changes a setting.
#pragma once

#include "runtime/base/result.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve::cuda {

struct device_weather {
  uint32_t sm_mhz = 0;
  uint32_t memory_mhz = 0;
  uint32_t milliwatts = 0;
  uint32_t celsius = 0;
  uint64_t throttle_reasons = 0;
  std::vector<uint32_t> processes; // pids with a compute context
};

class management {
public:
  // By PCI address. errc::unsupported where libnvidia-ml.so.1 is missing or knows no such device.
  static result<management> open(const std::string& pci);
  device_weather read() const;
  std::string driver_version() const;
  uint32_t most_sm_mhz() const;

private:
  struct functions;
  const functions* call_ = nullptr;
  void* device_ = nullptr;
};

} // namespace kevolve::cuda
