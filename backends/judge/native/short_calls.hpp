// Finds calls so short that the judge's own part of their time flattens every ratio.
#pragma once

#include <optional>
#include <vector>

namespace kevolve {

struct measured_call {
  double wall_ns = 0.0;
  double worked_ns = 0.0; // without waits for a processor
};

// Calls are short if they take less than this, with an empty call of `overhead_ns`.
double short_call_limit_ns(double overhead_ns);

// Returns the duration of an undisturbed call, with the judge's own part, if calls are short; nothing if they are
// longer. `calls` must not be empty. Waits for a processor lengthen calls on a busy machine and make none of them long.
std::optional<double> short_call_ns(const std::vector<measured_call>& calls, double overhead_ns);

} // namespace kevolve
