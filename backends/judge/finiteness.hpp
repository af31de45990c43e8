// Finds infinite and NaN elements of an output in its own type, and the scale of its elements.
#pragma once

#include "backends/judge/comparison.hpp"

#include <cstdint>
#include <string>

namespace kevolve {

// Returns the smallest number that rounds to infinity in a type, half a unit beyond the largest finite one.
double overflow_of(dtype output);

// Describes which of the first `elements` are infinite or NaN when rounded to the output's type; empty if none is.
std::string not_finite(dtype output, const expected_output& expected, int64_t elements);
bool all_finite(dtype type, const byte_buffer& values, int64_t elements);

// Describes elements for which reference (`own`, in the output's type) and oracle differ about infinity or NaN; empty
// if there are none. A value so near to the type's largest that either may overflow does not count.
std::string disagreement(dtype output, const expected_output& expected, const byte_buffer& own, int64_t elements);

// Returns the size of rounding errors that large cancelling terms may cause, at most the type's largest number.
// `alike`: all values were enlarged alike, so it returns the scale of most elements; the largest element alone would
// allow too much. Exact zeros, as after a rectifier, are ignored.
double scale_of_errors(dtype output, const expected_output& expected, int64_t elements, bool alike);

} // namespace kevolve
