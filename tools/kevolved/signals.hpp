// Waits for the daemon's signals. It must be made before the first thread, so that every thread inherits the blocked
// signals.
#pragma once

#include "runtime/base/signal_watch.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace kevolve {

enum class wish : uint8_t { none, reload, stop };

class daemon_signals {
public:
  // SIGTERM and SIGINT request a stop. The second SIGINT, a person's, ends the process at once; schedulers may repeat
  // SIGTERM. SIGHUP requests that the files are read again.
  daemon_signals();

  // Returns which signal has come, at once or within `limit`. A request to stop remains in force.
  wish wait_for(std::chrono::milliseconds limit);

private:
  std::atomic<bool> stop_{false};
  std::atomic<bool> interrupted_{false}; // by SIGINT
  std::atomic<bool> reload_{false};
  signal_watch watch_;
};

} // namespace kevolve
