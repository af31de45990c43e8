// The time of day, as records hold it.
#pragma once

#include <chrono>
#include <cstdint>

namespace kevolve {

// Nanoseconds since the epoch.
inline int64_t wall_clock_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

} // namespace kevolve
