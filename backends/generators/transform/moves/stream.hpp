// A check for the stores that the move `stream` leaves behind.
#pragma once

#include "backends/generators/transform/ir/program.hpp"

namespace kevolve::transform {

// Tells if stores leave the loop that only a fence after it completes.
bool streams_past(const stmt& loop);

} // namespace kevolve::transform
