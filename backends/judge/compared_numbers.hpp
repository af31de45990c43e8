// The numbers that a compiled kernel compares with: a source may make one in ways that no reader of it follows, but the
// compiler computes it.
#pragma once

#include <string_view>
#include <vector>

namespace kevolve {

// Returns the whole numbers from 66 to 2^24 of an x86-64 object's comparisons, additions and the like. They come in the
// order of the code, each once, some dozens at most; none of other objects. Bytes that look like code may add some.
std::vector<double> compared_numbers(std::string_view object);
// Adds those of one section's code.
void add_compared_numbers(std::string_view code, std::vector<double>& numbers);

} // namespace kevolve
