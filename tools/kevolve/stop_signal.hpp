// Waits for Ctrl-C and SIGTERM. It must be made before the first thread, so that every thread inherits the blocked
// signals.
#pragma once

#include "runtime/base/signal_watch.hpp"

#include <atomic>
#include <chrono>

namespace kevolve {

class stop_signal {
public:
  // The second signal ends the process at once, with exit code 130.
  stop_signal();

  bool seen() const { return seen_.load(); }
  // Returns true as soon as a signal has come, false after `limit`.
  bool wait_for(std::chrono::milliseconds limit) const { return watch_.wait_for(limit); }

private:
  std::atomic<bool> seen_{false};
  signal_watch watch_;
};

} // namespace kevolve
