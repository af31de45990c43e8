// Whether a timing session may be trusted, from what the machine said while it ran. That looks at the noise alone, so
// that repeating a session buys nobody a verdict. What no noise of the kind could have turned need not be repeated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

struct session_noise {
  double wall_ns = 0.0;
  double stolen_ns = 0.0;       // taken by the hypervisor from the session's cores
  double tick_ns = 0.0;         // what stolen time is counted in
  double probe_before_ns = 0.0; // a short fixed kernel on the timing core; 0: not measured
  double probe_after_ns = 0.0;
  uint32_t pairs = 0;
  uint32_t waiting_pairs = 0; // counted although a call lost its core to somebody else, in every try
  double foreign_ns = 0.0;    // of other processes on the session's cores, where it has all of them
  uint32_t cores = 1;
};

struct noise_limits {
  double stolen_share = 0.05; // of the wall time, beyond three ticks
  double drift = 1.15;        // between the probes, either way
  double waiting_share = 0.5; // of the pairs
  double foreign_share = 0.1; // of one core's wall time, beyond three ticks a core
};

// The ratio of the slower probe to the faster; 1 where nothing was measured.
double drift_of(const session_noise& w);

// For a person, with the figures; empty: a calm session.
std::string why_disturbed(const session_noise& w, const noise_limits& limits);

// What the calls on one shape took in a session, all together.
struct side_by_side {
  double weight = 1.0;
  double winner_ns = 0.0;
  double loser_ns = 0.0;
};

// True if the loser is far behind, by the weighted mean over the shapes, even if all that was stolen from the session's
// cores or run on them by others had hit its calls alone, on each shape, and the drift had helped the winner: such a
// decision stands. Pairs that waited for their core are not accounted in time, so a session of those never does.
bool stands_anyway(const session_noise& w, const noise_limits& limits, const std::vector<side_by_side>& shapes);

// The weighted mean, over the shapes, of how much less the winner's calls took than the loser's, all of them added up;
// with all that was stolen or that others ran taken off the winner's, so that no noise makes it look slow. A kernel
// whose typical call is fast and whose rare one is very slow leads by the median and loses by the sum.
double lead_in_sum(const session_noise& w, const std::vector<side_by_side>& shapes);
// Whose lead in sum is below this is slow by no accident, if it comes again.
inline constexpr double taken_back = 0.95;

} // namespace kevolve
