// Verdicts that are held as text, as records of a step and JSON have them.
#pragma once

#include "runtime/base/verdict.hpp"

#include <string_view>

namespace kevolve {

// Returns true if the text is the name of verdict::pass.
inline bool is_pass(std::string_view text) {
  return parse_verdict(text) == verdict::pass;
}

} // namespace kevolve
