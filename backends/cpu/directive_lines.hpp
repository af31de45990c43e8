// Directives that macros have made: a compiler obeys none of them, but would when the preprocessed text is compiled.
#pragma once

#include <string>
#include <string_view>

namespace kevolve {

// Returns the first line of a preprocessed source that is a directive which the preprocessor did not leave there. A
// line counts, too, if it would join the next one, or switches sanitizers off. Empty if there is none.
std::string made_directive(std::string_view preprocessed, bool cpp);

} // namespace kevolve
