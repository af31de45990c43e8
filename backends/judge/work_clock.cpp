#include "backends/judge/work_clock.hpp"

#include <ctime>

namespace kevolve {

std::chrono::nanoseconds work_clock::of_this_thread() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return std::chrono::seconds{t.tv_sec} + std::chrono::nanoseconds{t.tv_nsec};
}

} // namespace kevolve
