// Directives that macros have made: a compiler obeys none of them, but would when the preprocessed text is compiled.
#pragma once

#include <string>
#include <string_view>

namespace kevolve {

// Returns the first line of a preprocessed source that is a directive, though the preprocessor did not leave it there,
// or that would join the next one, or that switches sanitizers off; empty if there is none.
std::string made_directive(std::string_view preprocessed, bool cpp);

} // namespace kevolve
