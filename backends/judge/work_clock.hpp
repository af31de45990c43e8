// The work that is done: processor time of this thread, and the time of calls in other processes. On a busy machine it
// stands still while others run, so that limits in it allow as much there as on an idle one.
#pragma once

#include <chrono>

namespace kevolve {

class work_clock {
public:
  work_clock() : start_(of_this_thread()) {}

  // Adds a call that another process answered.
  void add(std::chrono::duration<double, std::nano> call) { calls_ += call; }
  std::chrono::duration<double, std::nano> spent() const { return of_this_thread() - start_ + calls_; }

private:
  static std::chrono::nanoseconds of_this_thread();

  std::chrono::nanoseconds start_;
  std::chrono::duration<double, std::nano> calls_{0.0};
};

} // namespace kevolve
