#include "backends/judge/session_interval.hpp"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kevolve {

median_interval interval_over_sessions(const std::vector<std::vector<double>>& sessions) {
  std::vector<double> all;
  std::vector<double> medians;
  for (const auto& session : sessions) {
    if (session.empty())
      continue;
    all.insert(all.end(), session.begin(), session.end());
    medians.push_back(interval_of_median(session).median);
  }
  auto out = interval_of_median(std::move(all));
  if (medians.size() < 2)
    return out;
  const auto count = static_cast<double>(medians.size());
  const auto mean = std::accumulate(medians.begin(), medians.end(), 0.0) / count;
  double squares = 0.0;
  for (const auto m : medians)
    squares += (m - mean) * (m - mean);
  const boost::math::students_t distribution{count - 1.0};
  const auto t = boost::math::quantile(distribution, 0.5 + 0.5 * coverage_over_sessions);
  const auto half = t * std::sqrt(squares / (count - 1.0) / count);
  out.low = std::min(out.low, mean - half);
  out.high = std::max(out.high, mean + half);
  out.coverage = coverage_over_sessions;
  return out;
}

std::vector<std::vector<double>> by_session(const std::vector<double>& values, const std::vector<size_t>& starts) {
  std::vector<std::vector<double>> out;
  for (size_t s = 0; s < starts.size(); ++s) {
    const auto from = std::min(starts[s], values.size());
    const auto to = s + 1 < starts.size() ? std::min(starts[s + 1], values.size()) : values.size();
    if (from == to)
      continue;
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(from);
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(to);
    if (!out.empty() && 2 * (to - from) < out.front().size())
      out.back().insert(out.back().end(), begin, end);
    else
      out.emplace_back(begin, end);
  }
  return out;
}

} // namespace kevolve
