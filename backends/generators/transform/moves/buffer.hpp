// The loops and arrays that the move `buffer` applies to.
#pragma once

#include "backends/generators/transform/analysis/environment.hpp"

#include <string>
#include <vector>

namespace kevolve::transform {

// Returns the arrays of which `buffer` can keep the loop's rows.
std::vector<std::string> bufferable(const program& p, const stmt& loop, const environment& env);

} // namespace kevolve::transform
