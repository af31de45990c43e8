// The daemon's signals as something to wait for. Made before the first thread, so that every thread inherits the block.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace kevolve {

enum class wish : uint8_t { none, reload, stop };

class daemon_signals {
public:
  // SIGTERM and SIGINT are a wish to stop, the second of them ends the process at once; SIGHUP to read files again.
  daemon_signals();
  ~daemon_signals();
  daemon_signals(const daemon_signals&) = delete;
  daemon_signals& operator=(const daemon_signals&) = delete;

  // What has come, at once or within `limit`. A stop stays wished for.
  wish wait_for(std::chrono::milliseconds limit);

private:
  std::atomic<bool> stop_{false};
  std::atomic<bool> reload_{false};
  int signals_ = -1; // signalfd
  int came_ = -1;    // eventfd, readable once something is wished for
  int done_ = -1;    // eventfd that ends the thread
  std::thread watcher_;
};

} // namespace kevolve
