// The daemon's signals as something to wait for. Made before the first thread, so that every thread inherits the block.
#pragma once

#include "runtime/base/signal_watch.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace kevolve {

enum class wish : uint8_t { none, reload, stop };

class daemon_signals {
public:
  // SIGTERM and SIGINT are a wish to stop, the second of them ends the process at once; SIGHUP to read files again.
  daemon_signals();

  // Returns which signal has come, at once or within `limit`. A request to stop remains in force.
  wish wait_for(std::chrono::milliseconds limit);

private:
  std::atomic<bool> stop_{false};
  std::atomic<bool> reload_{false};
  signal_watch watch_;
};

} // namespace kevolve
