// Ctrl-C and SIGTERM as something to wait for. Made before the first thread, so that every thread inherits the block.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace kevolve {

class stop_signal {
public:
  // The second signal ends the process at once, with exit code 130.
  stop_signal();
  ~stop_signal();
  stop_signal(const stop_signal&) = delete;
  stop_signal& operator=(const stop_signal&) = delete;

  bool seen() const { return seen_.load(); }
  // Which one; 0: none yet.
  int number() const { return seen_.load(); }
  // True as soon as a signal has come; false after `limit`.
  bool wait_for(std::chrono::milliseconds limit) const;

private:
  std::atomic<int> seen_{0};
  int signals_ = -1; // signalfd
  int came_ = -1;    // eventfd, readable once a signal has come
  int done_ = -1;    // eventfd that ends the thread
  std::thread watcher_;
};

} // namespace kevolve
