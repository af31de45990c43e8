// The families of an operator, from its task's words and from the structure of its reference. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kevolve::knowledge {

// Returns the families, the likeliest first, at most three. `words` are the task's name, family and summary;
// `reference` is its source in C or Python. Empty: nothing in either tells.
std::vector<std::string> operator_families(std::string_view words, std::string_view reference);

} // namespace kevolve::knowledge
