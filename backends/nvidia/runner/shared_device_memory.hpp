// Device memory that two processes map: the arena. The examiner makes it, a candidate's worker takes it, and nothing
// else of either is in reach of the other.
#pragma once

#include "backends/nvidia/driver.hpp"

namespace kevolve::cuda {

class shared_device_memory {
public:
  // New memory of at least that size, wherever the driver puts it; `fd` is the caller's to close.
  status make(const driver& d, int device, uint64_t bytes, int& fd);
  // Another process's, of exactly that size.
  status take(const driver& d, int device, uint64_t bytes, int fd);
  void release(const driver& d);

  device_pointer at() const { return at_; }
  uint64_t bytes() const { return bytes_; }
  // The driver's function that the last status came from.
  const char* function() const { return function_; }

private:
  status place(const driver& d, int device, memory_handle which);

  device_pointer at_ = 0;
  uint64_t bytes_ = 0;
  const char* function_ = "";
};

} // namespace kevolve::cuda
