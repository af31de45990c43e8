// Loop times from the probes' counts, without what the probes themselves take. Pure.
#pragma once

#include "backends/cpu/profile/call_run.hpp"

#include <string>
#include <vector>

namespace kevolve {

// A loop is timed if an entry may take this long: reading the clock disturbs shorter ones.
inline constexpr double shortest_timed_ns = 1000.0;

struct loop_time {
  probed_loop loop;
  double entries = 0.0; // of one call
  double trips = 0.0;   // the mean of an entry
  bool timed = false;
  double ns = 0.0;      // of one call
  double self_ns = 0.0; // without the timed loops inside
};

struct loop_report {
  std::vector<loop_time> loops;
  double outermost_ns = 0.0; // of the loops that no other timed loop is around
};

// Returns the numbers of the loops that may be timed, by counts alone: an entry takes at most the call's time over the
// number of entries.
std::vector<size_t> loops_to_time(const call_answer& counts, double call_ns);
// Returns "time 0,3;".
std::string probe_request_of(const std::vector<size_t>& loops);

// Subtracts each reading of the clock from the loops that it lies in. Loops whose entries turn out to be shorter than
// 1 µs count as not timed.
loop_report loop_times(const call_answer& probed, const std::vector<size_t>& timed);

// Returns the artefact `loops`. `array_bytes`: of all arrays of the call; `cycle_ns`: of the core at that time.
std::string loops_artefact(const loop_report& report, double call_ns, double probed_call_ns, size_t array_bytes,
                           double cycle_ns);

} // namespace kevolve
