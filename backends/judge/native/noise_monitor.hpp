// Measures disturbances of a timing session on its cores, from before its first call to after its last.
#pragma once

#include "backends/judge/disturbance.hpp"

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace kevolve {

// The cores' counters, as read from /proc/stat.
struct core_times {
  double idle_ns = 0.0;
  double stolen_ns = 0.0;
};
core_times times_of(const std::string& proc_stat, const std::vector<int>& cores, double tick_ns);

class noise_monitor {
public:
  // Starts to measure. `cores` are those of the session's candidates. Probes the current core for about 0.1 ms.
  // `own_ns` returns the session's own processor time if it has the cores exclusively; all other time there is foreign.
  explicit noise_monitor(std::vector<int> cores, std::function<double()> own_ns = {});
  // Returns the noise since the start. `pairs` and `waiting` are the session's own counts.
  session_noise end(uint32_t pairs, uint32_t waiting) const;

private:
  std::vector<int> cores_;
  std::function<double()> own_;
  std::chrono::steady_clock::time_point begun_;
  core_times times_;
  double own_ns_ = 0.0;
  double probe_ns_ = 0.0;
};

// Returns the processor time of this process and its terminated children.
double processor_ns();
// Returns the processor time of all threads of another process; 0 once it is gone.
double processor_ns(pid_t pid);

} // namespace kevolve
