#include "backends/judge/native/short_calls.hpp"

#include <algorithm>

namespace kevolve {

double short_call_limit_ns(double overhead_ns) {
  constexpr double times = 30.0;
  return times * overhead_ns;
}

std::optional<double> short_call_ns(const std::vector<measured_call>& calls, double overhead_ns) {
  const auto least = [&](double measured_call::* figure) {
    const auto lower = [figure](const auto& a, const auto& b) { return a.*figure < b.*figure; };
    return (*std::min_element(calls.begin(), calls.end(), lower)).*figure;
  };
  if (least(&measured_call::worked_ns) >= short_call_limit_ns(overhead_ns))
    return std::nullopt;
  return std::max(least(&measured_call::wall_ns), overhead_ns); // an empty call is a part of each
}

} // namespace kevolve
