// What is said beside a winner's figure; empty: nothing.
#pragma once

#include "backends/protocol.hpp"

#include <string>

namespace kevolve {

// What flags that let a compiler reckon with neither NaN nor infinities do not promise.
std::string fast_math_note(const std::string& flags, const std::string& build_script);

// A shape on which the winner is slower than the reference for sure.
std::string slower_note(const shape_timing& t);

// A shape with winners' calls so short that the judge's own part of them, `own_ns`, hides how much faster they are.
std::string flattened_note(const shape_timing& t, double own_ns);

} // namespace kevolve
