// Splits a C source into tokens. Handles comments, strings and continued lines.
#pragma once

#include "runtime/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::dispatch {

enum class token_kind : uint8_t {
  word,
  number,
  text,      // a string or character constant with its quotes
  mark,      // one character
  directive, // a whole preprocessor line without its '#'
};

struct token {
  token_kind kind = token_kind::mark;
  std::string text;
  size_t line = 0;
  bool in_doubt = false; // comes from a macro that has another meaning under another condition

  bool is(std::string_view what) const { return text == what && kind != token_kind::text; }
};

// Returns the tokens. errc::unsupported, with the line: digraphs, raw strings, or constants that do not end.
result<std::vector<token>> read_tokens(const std::string& source);

} // namespace kevolve::dispatch
