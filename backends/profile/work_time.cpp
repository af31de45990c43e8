#include "backends/profile/work_time.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace kevolve {

namespace {

double used_s(__rusage_who who) {
  rusage used{};
  if (::getrusage(who, &used) != 0)
    return 0.0;
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

} // namespace

work_time work_time_now() {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now().time_since_epoch();
  return {passed.count(), used_s(RUSAGE_SELF) + used_s(RUSAGE_CHILDREN)};
}

double worked_by_children_s() {
  return used_s(RUSAGE_CHILDREN);
}

double counted_s(const work_time& from, const work_time& to) {
  return std::clamp(to.worked_s - from.worked_s, 0.0, std::max(to.passed_s - from.passed_s, 0.0));
}

uint32_t whole_processor_seconds(double seconds) {
  constexpr double most = 3600.0;
  return static_cast<uint32_t>(std::ceil(std::clamp(seconds, 1.0, most)));
}

} // namespace kevolve
