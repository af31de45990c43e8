// The sanitizers of the replay: their checks, the compiler's options for them, and the means by which a source would
// leave their sight.
#pragma once

#include "backends/cpu/toolchain.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct undefined_behaviour_check {
  std::string_view name; // as in -fsanitize=NAME
  bool recovers = true;  // the process may go on after it
  std::string_view reason;
};

// Returns the checks of UndefinedBehaviorSanitizer that are on. Behaviour that clang defines, such as unsigned overflow
// or a shift into the sign, is not checked.
std::span<const undefined_behaviour_check> undefined_behaviour_checks();

// Returns the compile options that instrument a source. The flag set's own options stand before them.
std::vector<std::string> sanitizer_options(compiler_family family);

// Returns the definitions under which attributes that switch the sanitizers off mean nothing. They are given with the
// preprocessed text, so that a source can neither see nor undo them.
std::vector<std::string> attribute_definitions();

// Returns the first word or line of a preprocessed source that only a source that escapes the sanitizers has; empty if
// there is none. A macro may have made a directive, which would be obeyed when the text is compiled.
std::string evasion_in(std::string_view preprocessed, bool cpp);

} // namespace kevolve
