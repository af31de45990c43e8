// A C source as tokens, honest about comments, strings, and lines that go on.
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
  text,      // a string or a character constant, quotes included
  mark,      // one character
  directive, // a whole preprocessor line, from behind its '#'
};

struct token {
  token_kind kind = token_kind::mark;
  std::string text;
  size_t line = 0;
  bool in_doubt = false; // of a macro that means something else under another condition

  bool is(std::string_view what) const { return text == what && kind != token_kind::text; }
};

// errc::unsupported, with the line, for what C spells in a way that is not read here: digraphs, raw strings, and
// constants that do not end.
result<std::vector<token>> read_tokens(const std::string& source);

} // namespace kevolve::dispatch
