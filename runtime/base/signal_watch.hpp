// Waits for signals on a thread, so that no signal handler is needed.
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <thread>

namespace kevolve {

class signal_watch {
public:
  // Blocks the signals in this thread and in all threads that it starts later, so construct it before the first thread.
  // Calls `take` for each signal, on a thread of its own.
  signal_watch(std::initializer_list<int> numbers, std::function<void(int)> take);
  ~signal_watch();
  signal_watch(const signal_watch&) = delete;
  signal_watch& operator=(const signal_watch&) = delete;

  // Returns true as soon as a signal has arrived since the last forget(); false after `limit`.
  bool wait_for(std::chrono::milliseconds limit) const;
  // Forgets the signals received so far.
  void forget() const;

private:
  void run();
  std::function<void(int)> take_;
  int signals_ = -1; // signalfd
  int came_ = -1;    // eventfd, readable once a signal has arrived
  int done_ = -1;    // eventfd that ends the thread
  std::thread watcher_;
};

} // namespace kevolve
