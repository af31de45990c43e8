// Reductions kept in several partial results, which are joined at the end.
#pragma once

#include "backends/generators/transform/analysis/analysis.hpp"

#include <vector>

namespace kevolve::transform {

// Return the start value for one more partial result, and the statement that folds it in.
expr reduction_start(const reduction& r);
stmt reduction_join(const reduction& r, expr part);
// Makes partial sums of signed numbers unsigned, so that they wrap: parts may leave the type that the whole stays in.
void sum_unsigned(stmt& l, std::vector<reduction>& sums);

} // namespace kevolve::transform
