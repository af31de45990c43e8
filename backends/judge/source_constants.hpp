// The constants that a source names: a kernel that is wrong for some value or size only usually names it, or a
// neighbour of it.
#pragma once

#include <string_view>
#include <vector>

namespace kevolve {

// Returns the numbers and characters of a source in C, C++, CUDA or Python, each once. Two numbers with an operator
// between them give their result, too. Comments of C are left out, and texts of more than one character. Only some
// hundreds are returned, and numbers of tables only where there are few others.
std::vector<double> source_constants(std::string_view source);

} // namespace kevolve
