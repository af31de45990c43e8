// What disturbs a timing session on these cores, watched from before its first call to after its last.
#pragma once

#include "backends/judge/disturbance.hpp"

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace kevolve {

// What these cores did so far, as /proc/stat's text has it.
struct core_times {
  double idle_ns = 0.0;
  double stolen_ns = 0.0;
};
core_times times_of(const std::string& proc_stat, const std::vector<int>& cores, double tick_ns);

class noise_monitor {
public:
  // `cores`: those that the session's candidates run on. Probes the core that this thread runs on, about 0.1 ms.
  // `own_ns`: the processor time of all that runs on these cores for the session, if it has them alone: whatever else
  // ran there is foreign.
  explicit noise_monitor(std::vector<int> cores, std::function<double()> own_ns = {});
  // The noise since then; `pairs` and `waiting` are the session's own counts.
  session_noise end(uint32_t pairs, uint32_t waiting) const;

private:
  std::vector<int> cores_;
  std::function<double()> own_;
  std::chrono::steady_clock::time_point begun_;
  core_times times_;
  double own_ns_ = 0.0;
  double probe_ns_ = 0.0;
};

// The processor time of this process and of its children that have ended.
double processor_ns();
// Of another process, its threads together; 0 once it is gone.
double processor_ns(pid_t pid);

} // namespace kevolve
