// Reads that stay inside their arrays whether or not a condition asks for them: by the shapes that the task declares.
#pragma once

#include "backends/generators/transform/ir/program.hpp"
#include "runtime/base/contract.hpp"

#include <set>
#include <string>

namespace kevolve::transform {

// Returns the subscripts inside the loops of that label, as print() writes them, that stay within the declared extents.
// They do for all values that the indices around them take while those loops run.
std::set<std::string> reads_within(const program& p, const loop_label& label, const contract& task);

} // namespace kevolve::transform
