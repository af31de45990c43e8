// Device memory that two processes map: the arena. The examiner makes it and a candidate's worker maps it. Neither
// process can reach any other memory of the other one.
#pragma once

#include "backends/nvidia/driver.hpp"

namespace kevolve::cuda {

class shared_device_memory {
public:
  // Makes new memory of at least that size, wherever the driver puts it. The caller closes `fd`.
  status make(const driver& d, int device, uint64_t bytes, int& fd);
  // Maps another process's memory, of exactly that size.
  status take(const driver& d, int device, uint64_t bytes, int fd);
  void release(const driver& d);

  device_pointer at() const { return at_; }
  uint64_t bytes() const { return bytes_; }
  // Returns the driver's function that the last status came from.
  const char* function() const { return function_; }

private:
  status place(const driver& d, int device, memory_handle which);

  device_pointer at_ = 0;
  uint64_t bytes_ = 0;
  const char* function_ = "";
};

} // namespace kevolve::cuda
