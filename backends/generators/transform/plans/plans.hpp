// Sequences of moves that pay only together.
#pragma once

#include "backends/generators/transform/moves/registry.hpp"

#include <vector>

namespace kevolve::transform {

// Sequences that belong together, for the nests of the reference that ask for them: a list for each idea.
std::vector<std::vector<genome>> plans(const program& reference, const environment& env);

} // namespace kevolve::transform
