#include "backends/generators/llm/tokens.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kevolve::llm {

namespace {

enum class kind : uint8_t { letter, digit, space, other, wide };

constexpr kind classify(char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
    return kind::letter;
  if (c >= '0' && c <= '9')
    return kind::digit;
  if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
    return kind::space;
  return static_cast<unsigned char>(c) >= 0x80 ? kind::wide : kind::other;
}

constexpr auto kinds = [] {
  std::array<kind, 256> out{};
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = classify(static_cast<char>(i));
  return out;
}();

kind kind_of(char c) {
  return kinds[static_cast<unsigned char>(c)];
}

double groups(size_t length, size_t each) {
  const auto whole = (length + each - 1) / each;
  return static_cast<double>(whole);
}

// Common words are one token; a capital inside a word begins another.
double word_tokens(std::string_view word) {
  constexpr size_t longest = 8;
  double out = 0;
  size_t begin = 0;
  for (size_t i = 1; i < word.size(); ++i)
    if (word[i] < 'a' && word[i - 1] >= 'a') {
      out += groups(i - begin, longest);
      begin = i;
    }
  return out + groups(word.size() - begin, longest);
}

double run_tokens(kind k, std::string_view run) {
  // One space goes with the word after it, a line end with its indentation, pairs of operators together: averages.
  constexpr double line_and_indentation = 1.4;
  constexpr double line = 0.8;
  constexpr double operator_character = 0.55;
  constexpr double wide_character = 1.2;
  switch (k) {
    case kind::letter:
      return word_tokens(run);
    case kind::digit:
      return groups(run.size(), 3);
    case kind::space:
      if (run.find('\n') != std::string_view::npos)
        return run.size() > 1 ? line_and_indentation : line;
      return run.size() > 1 ? 1.0 : 0.0;
    case kind::other:
      return std::max(1.0, static_cast<double>(run.size()) * operator_character);
    case kind::wide: {
      size_t characters = 0;
      for (char c : run)
        if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U)
          ++characters;
      return static_cast<double>(characters) * wide_character;
    }
  }
  return 0;
}

} // namespace

int64_t estimate_tokens(std::string_view text) {
  double out = 0;
  while (!text.empty()) {
    const auto k = kind_of(text.front());
    size_t end = 1;
    while (end < text.size() && kind_of(text[end]) == k)
      ++end;
    out += run_tokens(k, text.substr(0, end));
    text.remove_prefix(end);
  }
  return static_cast<int64_t>(std::ceil(out));
}

int64_t most_tokens(int64_t estimated, size_t texts) {
  constexpr int64_t frame = 64; // roles and marks around messages
  return estimated + estimated / 2 + frame * static_cast<int64_t>(texts);
}

} // namespace kevolve::llm
