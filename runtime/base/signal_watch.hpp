// Signals as something to wait for, instead of handlers that may do next to nothing.
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <thread>

namespace kevolve {

class signal_watch {
public:
  // Blocks the signals in this thread and in all that it makes from now on: make it before the first thread. `take`
  // hears of each that comes, on a thread of its own.
  signal_watch(std::initializer_list<int> numbers, std::function<void(int)> take);
  ~signal_watch();
  signal_watch(const signal_watch&) = delete;
  signal_watch& operator=(const signal_watch&) = delete;

  // True as soon as one has come that forget() has not covered; false after `limit`.
  bool wait_for(std::chrono::milliseconds limit) const;
  // What came up to now wakes nobody any more.
  void forget() const;

private:
  void run();
  std::function<void(int)> take_;
  int signals_ = -1; // signalfd
  int came_ = -1;    // eventfd, readable once a signal has come
  int done_ = -1;    // eventfd that ends the thread
  std::thread watcher_;
};

} // namespace kevolve
