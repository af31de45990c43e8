// The choice of parents by one who knows every figure of the record: the floor of what policies may reach.
#pragma once

#include "tools/bench/landscape/world.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace kevolve::bench {

// Returns the node among `open` from which the goal is expected after the fewest steps, by an optimal choice of all
// later parents. Each step is drawn from the candidates that are not visited. Nothing if none leads there.
std::optional<uint32_t> omniscient_choice(const world& on, const std::vector<uint32_t>& open,
                                          const std::vector<bool>& visited, double goal);

} // namespace kevolve::bench
