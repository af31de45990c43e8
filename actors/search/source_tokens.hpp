// The tokens of a candidate's source, as far as comparing sources needs them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

enum class token_kind : uint8_t {
  word = 0,
  number,
  text,        // a string or a character, as it stands
  punctuation, // the longest operator
  directive,   // a line of the preprocessor, without comments; blanks are single
  plan,        // a comment that holds a launch plan, as it stands
};

struct source_token {
  token_kind kind = token_kind::word;
  std::string text;
};

// Reads C, C++ and what grew out of them. Comments are left out. It reads anything; what ends early ends with the text.
std::vector<source_token> tokens_of_c(std::string_view source);

// Returns the words of a line.
std::vector<std::string> words_in(std::string_view text);

// Returns a Python source without comments, blank lines and blanks at the ends of lines. Strings stay as they are.
std::string python_without_comments(std::string_view source);

} // namespace kevolve
