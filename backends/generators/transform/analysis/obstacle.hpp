// The kind of what keeps a loop's iterations in order, for the reference's author.
#pragma once

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/loop_obstacle.hpp"

namespace kevolve::transform {

// Returns the obstacles by label of the reference's loops; `none` for independent ones.
std::map<std::string, loop_obstacle> obstacles(const program& reference, const contract& task);

} // namespace kevolve::transform
