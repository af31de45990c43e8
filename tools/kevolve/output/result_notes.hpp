// Notes beside a winner's figure; each is empty if it does not apply.
#pragma once

#include "backends/protocol.hpp"
#include "runtime/base/contract.hpp"

#include <string>

namespace kevolve {

// Warns that flags which let a compiler assume neither NaN nor infinities promise nothing for such inputs.
std::string fast_math_note(const std::string& flags, const std::string& build_script);

// Warns that a source which states the alignment of arrays to its compiler requires it of its callers.
std::string alignment_note(const std::string& source, const contract& task);

// Reports a shape on which the winner is surely slower than the reference.
std::string slower_note(const shape_timing& t);

// Reports a shape with calls so short that the judge's own part of them, `own_ns`, hides part of the speed-up.
std::string flattened_note(const shape_timing& t, double own_ns);

} // namespace kevolve
