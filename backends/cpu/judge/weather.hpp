// What disturbs a timing session on these cores, watched from before its first call to after its last.
#pragma once

#include "backends/judging/disturbance.hpp"

#include <chrono>
#include <vector>

namespace kevolve {

class weather_watch {
public:
  // `cores`: those that the session's candidates run on. Probes the core that this thread runs on, about 0.1 ms.
  explicit weather_watch(std::vector<int> cores);
  // The weather since then; `pairs` and `waiting` are the session's own counts.
  session_weather end(uint32_t pairs, uint32_t waiting) const;

private:
  std::vector<int> cores_;
  std::chrono::steady_clock::time_point begun_;
  double stolen_ns_ = 0.0;
  double probe_ns_ = 0.0;
};

// Stolen time of these cores so far, as /proc/stat's text has it.
double stolen_ns(const std::string& proc_stat, const std::vector<int>& cores, double tick_ns);

} // namespace kevolve
