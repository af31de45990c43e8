// The loops that the move `narrow` applies to.
#pragma once

#include "backends/generators/transform/ir/program.hpp"

#include <cstdint>

namespace kevolve::transform {

// Tells if the loop keeps sums of numbers so small that blocks of it can do with `width` bits.
bool counts(const stmt& loop, int64_t width);

} // namespace kevolve::transform
