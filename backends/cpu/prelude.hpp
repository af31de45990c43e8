// The text before every source: the precompiled header, and for oracles the promotion to double.
#pragma once

#include <string>
#include <string_view>

namespace kevolve {

// Returns the includes of the precompiled header for the language "c" or "cpp".
std::string prelude_text(std::string_view language);

// Returns macros for the beginning of an oracle's source, after the system headers. They turn float, its functions,
// limits and builtins into double's. Unlike a token rewriter, they also reach names made by other macros. A constant
// such as 0.1f keeps its value, since it is part of the operator. Bit tricks and float intrinsics cannot be promoted;
// their pointer types clash and cause a compile error.
std::string promotion_text();

} // namespace kevolve
