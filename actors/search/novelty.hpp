// Tells if a proposal repeats a known candidate. The normalised source has no comments, and its white space is that of
// its tokens. Locals of C-like sources have no names of their own. Pure.
#pragma once

#include "runtime/base/ids.hpp"

#include <string>
#include <string_view>

namespace kevolve {

// Returns the normalised source. Two sources with the same one differ only in comments, white space and names of
// locals. A local keeps its name unless nothing outside the source can know it. Kept as they are: directives, strings,
// launch plans, the indentation of Python, and sources that ask for their own line.
std::string normalised_source(std::string_view source, std::string_view language);

// Returns hash(normalised source, language, flags).
id128 normalised_id(std::string_view source, std::string_view language, std::string_view flags);

} // namespace kevolve
