// Reads a core's clock and its processor's temperature from the operating system; a virtual machine often has neither.
#pragma once

#include "backends/device_sample.hpp"

#include <string>

namespace kevolve {

class core_sensors {
public:
  // Looks for their files once. `sys`: where sysfs lies.
  explicit core_sensors(int core, const std::string& sys = "/sys");
  // Without a time where none of them could be read.
  device_sample read() const;

private:
  std::string clock_;       // kHz
  std::string temperature_; // thousandths of a degree
};

} // namespace kevolve
