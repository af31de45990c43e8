// What of an output is infinite or NaN in its own type, and how large its elements are.
#pragma once

#include "backends/judge/comparison.hpp"

#include <cstdint>
#include <string>

namespace kevolve {

// Which of the first `elements` are infinite or NaN once rounded to the output's type; empty: none.
std::string not_finite(dtype output, const expected_output& expected, int64_t elements);
bool all_finite(dtype type, const byte_buffer& values, int64_t elements);

// Where the reference (`own`, of the output's type) and the oracle find something else infinite or NaN; empty: nowhere.
// A number so near to the largest that either may overflow is no quarrel.
std::string disagreement(dtype output, const expected_output& expected, const byte_buffer& own, int64_t elements);

// The size of errors that large terms leave honestly where they cancel, at most the type's largest number. Where all
// values are larger alike, that of most elements: the largest alone would allow them anything. Exact zeros, as a
// rectifier leaves them in half of its elements, say nothing of the terms.
double scale_of_errors(dtype output, const expected_output& expected, int64_t elements, bool alike);

} // namespace kevolve
