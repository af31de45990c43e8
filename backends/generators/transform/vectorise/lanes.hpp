// The values that a vectorised loop carries from one iteration to the next, kept lane by lane.
#pragma once

#include "backends/generators/transform/analysis/environment.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

// The reductions and best-so-far choices of a loop.
struct lane_state {
  std::vector<reduction> sums;
  std::vector<selection> choices;

  std::set<std::string> names() const;
};

// Returns what the loop carries, if it can be kept lane by lane; else nothing, and the reason.
std::optional<lane_state> carried_by(const stmt& l, const environment& env, std::string& reason);
// Returns the vectorised loop, before it a vector for each value it carries, after it their joining.
std::vector<stmt> with_partial_results(program& p, stmt main, const lane_state& carried);

} // namespace kevolve::transform
