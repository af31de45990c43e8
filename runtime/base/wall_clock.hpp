// The time of day as records store it.
#pragma once

#include <chrono>
#include <cstdint>

namespace kevolve {

// Returns nanoseconds since the Unix epoch.
inline int64_t wall_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

} // namespace kevolve
