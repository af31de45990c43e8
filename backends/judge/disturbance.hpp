// Decides whether a timing session was disturbed, from noise figures alone, so that repeating a session cannot favour a
// verdict. A disturbed session need not be repeated if its noise could not have changed the decision.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

struct session_noise {
  double wall_ns = 0.0;
  double stolen_ns = 0.0;       // time that the hypervisor took from the session's cores
  double tick_ns = 0.0;         // resolution of the stolen time
  double probe_before_ns = 0.0; // time of a short fixed kernel on the timing core; 0: not measured
  double probe_after_ns = 0.0;
  uint32_t pairs = 0;
  uint32_t waiting_pairs = 0; // pairs that were counted although in every try a call lost its core to another process
  double foreign_ns = 0.0;    // time of other processes on the session's cores, if it has these exclusively
  uint32_t cores = 1;
};

struct noise_limits {
  double stolen_share = 0.05; // share of the wall time, beyond three ticks
  double drift = 1.15;        // ratio of the probes, in either direction
  double waiting_share = 0.5; // share of the pairs
  double foreign_share = 0.1; // share of one core's wall time, beyond three ticks a core
};

// Returns the ratio of the slower probe to the faster; 1 if nothing was measured.
double drift_of(const session_noise& w);

// Returns why the session was disturbed, for a person and with figures; empty if it was not.
std::string why_disturbed(const session_noise& w, const noise_limits& limits);

// The total time of the calls on one shape in a session.
struct side_by_side {
  double weight = 1.0;
  double winner_ns = 0.0;
  double loser_ns = 0.0;
};

// Returns true if noise cannot have caused the decision. It assumes that all stolen and foreign time hit the loser's
// calls, on each shape, and that the drift helped the winner. The loser must still be far behind in the weighted mean.
// The time of waiting pairs is unknown, so a session disturbed by these never qualifies.
bool stands_anyway(const session_noise& w, const noise_limits& limits, const std::vector<side_by_side>& shapes);

// Returns the weighted mean over the shapes of the ratio of the loser's total time to the winner's. All stolen and
// foreign time is first subtracted from the winner's, so that noise cannot lower the result. A kernel whose typical
// call is fast but rare call is very slow leads by the median and loses by this figure.
double lead_in_sum(const session_noise& w, const std::vector<side_by_side>& shapes);
// A winner whose lead in sum is repeatedly below this is really slower.
inline constexpr double taken_back = 0.95;

} // namespace kevolve
