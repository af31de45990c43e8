// The text every source is compiled after: the precompiled header, and for oracles the promotion to double.
#pragma once

#include <string>
#include <string_view>

namespace kevolve {

// Includes of the precompiled header, by language ("c" | "cpp").
std::string prelude_text(std::string_view language);

// Put before an oracle's source, after the system headers: turns float and its functions, limits and builtins into
// double's. Macros reach what a token rewriter would miss (names made by other macros). A constant such as 0.1f keeps
// the value the reference gives it: it is part of what the operator is. Bit tricks and float intrinsics cannot be
// promoted; their pointer types clash, which compiles as an error.
std::string promotion_text();

} // namespace kevolve
