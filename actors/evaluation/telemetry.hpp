// Words of a candidate's source that a kernel rarely needs. They are stored with the compile for people who examine a
// surprise, and decide nothing.
#pragma once

#include <string>
#include <string_view>

namespace kevolve {

// Returns the identifiers outside comments and literals, sorted, each once, separated by blanks.
std::string noteworthy_words(std::string_view source);

} // namespace kevolve
