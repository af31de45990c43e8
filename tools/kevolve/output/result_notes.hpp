// What is said beside a winner's figure; empty: nothing.
#pragma once

#include "backends/protocol.hpp"
#include "runtime/base/contract.hpp"

#include <string>

namespace kevolve {

// What flags that let a compiler reckon with neither NaN nor infinities do not promise.
std::string fast_math_note(const std::string& flags, const std::string& build_script);

// What a source that tells its compiler how arrays are aligned asks of its callers.
std::string alignment_note(const std::string& source, const contract& task);

// A shape on which the winner is slower than the reference for sure.
std::string slower_note(const shape_timing& t);

// A shape with winners' calls so short that the judge's own part of them, `own_ns`, hides how much faster they are.
std::string flattened_note(const shape_timing& t, double own_ns);

} // namespace kevolve
