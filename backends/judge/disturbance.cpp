#include "backends/judge/disturbance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

namespace kevolve {

namespace {

constexpr double least_ticks = 3.0; // one tick in a short session means nothing
constexpr double far_behind = 1.2;

// Returns the weighted mean log ratio of the loser's total time to the winner's, after subtracting the given times.
// Null if a remaining time is not positive.
std::optional<double> mean_log_lead(const std::vector<side_by_side>& shapes, double off_winner_ns,
                                    double off_loser_ns) {
  double lead = 0.0; // sum of weighted logs
  double weights = 0.0;
  for (const auto& s : shapes) {
    const auto winner_ns = s.winner_ns - off_winner_ns;
    const auto loser_ns = s.loser_ns - off_loser_ns;
    if (!(winner_ns > 0.0) || !(loser_ns > 0.0))
      return std::nullopt;
    lead += s.weight * std::log(loser_ns / winner_ns);
    weights += s.weight;
  }
  return weights > 0.0 ? lead / weights : 0.0;
}

std::string said(const char* format, double a, double b) {
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), format, a, b);
  return text.data();
}

} // namespace

double drift_of(const session_noise& w) {
  if (!(w.probe_before_ns > 0.0) || !(w.probe_after_ns > 0.0))
    return 1.0;
  return std::max(w.probe_before_ns, w.probe_after_ns) / std::min(w.probe_before_ns, w.probe_after_ns);
}

std::string why_disturbed(const session_noise& w, const noise_limits& limits) {
  std::string out;
  const auto add = [&out](const std::string& why) { out += (out.empty() ? "" : "; ") + why; };
  if (w.stolen_ns > limits.stolen_share * w.wall_ns && w.stolen_ns >= least_ticks * w.tick_ns)
    add(said("%.1f ms of %.1f ms were stolen from the timing cores", w.stolen_ns / 1e6, w.wall_ns / 1e6));
  if (const auto drift = drift_of(w); drift > limits.drift)
    add(said("the timing core's own speed drifted by a factor of %.3f, allowed is %.3f", drift, limits.drift));
  if (w.pairs > 0 && w.waiting_pairs > limits.waiting_share * w.pairs)
    add(said("%.0f of %.0f pairs had to wait for the timing core", w.waiting_pairs, w.pairs));
  if (w.foreign_ns > limits.foreign_share * w.wall_ns && w.foreign_ns >= least_ticks * w.tick_ns * w.cores)
    add(said("other processes ran for %.1f ms of %.1f ms on the timing cores", w.foreign_ns / 1e6, w.wall_ns / 1e6));
  return out;
}

bool stands_anyway(const session_noise& w, const noise_limits& limits, const std::vector<side_by_side>& shapes) {
  if (w.waiting_pairs > limits.waiting_share * w.pairs)
    return false;
  const auto lead = mean_log_lead(shapes, 0.0, w.stolen_ns + w.foreign_ns);
  return lead && *lead > std::log(far_behind * drift_of(w));
}

double lead_in_sum(const session_noise& w, const std::vector<side_by_side>& shapes) {
  // If the noise exceeds the winner's total time, the result is unknown and counts as infinite.
  const auto lead = mean_log_lead(shapes, w.stolen_ns + w.foreign_ns, 0.0);
  return lead ? std::exp(*lead) : std::numeric_limits<double>::infinity();
}

} // namespace kevolve
