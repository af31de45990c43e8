#include "backends/llm/protocol/tokens.hpp"

#include <array>

namespace kevolve::llm {

namespace {

// A table-driven automaton reads the prompt byte by byte. The state and the byte's class determine the cost to add.
enum class_of_byte : uint8_t { lower, upper, digit, space, line_end, sign, wide, wide_rest, classes };

constexpr class_of_byte classify(unsigned char c) {
  if (c >= 'a' && c <= 'z')
    return lower;
  if (c >= 'A' && c <= 'Z')
    return upper;
  if (c >= '0' && c <= '9')
    return digit;
  if (c == '\n')
    return line_end;
  if (c == ' ' || c == '\t' || c == '\r')
    return space;
  return c < 0x80 ? sign : (c & 0xC0U) == 0x80U ? wide_rest : wide;
}

// States: the kind and length of the current run of bytes.
constexpr uint8_t longest_word = 8; // common words are one token
constexpr uint8_t longest_number = 3;
constexpr uint8_t beginning = 0;
// States for lower-case words of one letter, two letters, …; the last is for long words.
constexpr uint8_t lower_words = 1;
// States for upper-case words; the last is for a single capital.
constexpr uint8_t upper_words = lower_words + longest_word;
constexpr uint8_t numbers = upper_words + longest_word;
constexpr uint8_t blank = numbers + longest_number;
constexpr uint8_t blanks = blank + 1;
constexpr uint8_t line = blanks + 1; // directly after a line end
constexpr uint8_t line_and_indentation = line + 1;
constexpr uint8_t one_sign = line_and_indentation + 1;
constexpr uint8_t signs = one_sign + 1;
constexpr uint8_t wides = signs + 1;
constexpr uint8_t states = wides + 1;

// Average costs in twentieths of a token. A space is merged with the next word, a line end with its indentation, and
// pairs of operators with each other.
constexpr uint8_t token = 20;
constexpr uint8_t line_cost = 16;
constexpr uint8_t line_and_indentation_cost = 28;
constexpr uint8_t two_signs_cost = 22;
constexpr uint8_t wide_cost = 24;

struct step {
  uint8_t state;
  uint8_t cost;
};

// Returns the step for a letter or digit: it extends a group that starts at `first` or `also`, or begins a new group.
constexpr step grouped(uint8_t state, uint8_t to, uint8_t length, uint8_t first, uint8_t also) {
  for (const auto group : {first, also})
    if (state >= group && state + 1 < group + length)
      return {static_cast<uint8_t>(to + (state - group) + 1), 0};
  return {to, token};
}

constexpr step after(uint8_t state, class_of_byte c) {
  switch (c) {
    case lower:
      return grouped(state, lower_words, longest_word, lower_words, upper_words);
    case upper: // a capital inside a word begins another word
      return grouped(state, upper_words, longest_word, upper_words, upper_words);
    case digit:
      return grouped(state, numbers, longest_number, numbers, numbers);
    case space:
      if (state == blank)
        return {blanks, token};
      if (state == line)
        return {line_and_indentation, line_and_indentation_cost - line_cost};
      return {state == blanks || state == line_and_indentation ? state : blank, 0};
    case line_end:
      if (state == blank)
        return {line_and_indentation, line_and_indentation_cost};
      if (state == blanks)
        return {line_and_indentation, line_and_indentation_cost - token};
      if (state == line)
        return {line_and_indentation, line_and_indentation_cost - line_cost};
      return state == line_and_indentation ? step{state, 0} : step{line, line_cost};
    case sign:
      if (state == one_sign)
        return {signs, two_signs_cost - token};
      return state == signs ? step{signs, two_signs_cost / 2} : step{one_sign, token};
    case wide:
      return {wides, wide_cost};
    default:
      return {wides, 0};
  }
}

constexpr auto byte_classes = [] {
  std::array<class_of_byte, 256> out{};
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = classify(static_cast<unsigned char>(i));
  return out;
}();

constexpr auto steps = [] {
  std::array<std::array<step, classes>, states> out{};
  for (uint8_t s = 0; s < states; ++s)
    for (uint8_t c = 0; c < classes; ++c)
      out[s][c] = after(s, static_cast<class_of_byte>(c));
  return out;
}();

} // namespace

int64_t estimate_tokens(std::string_view text) {
  int64_t cost = 0;
  size_t state = beginning;
  for (const auto c : text) {
    const auto next = steps[state][byte_classes[static_cast<unsigned char>(c)]];
    cost += next.cost;
    state = next.state;
  }
  return (cost + token - 1) / token;
}

int64_t most_tokens(int64_t estimated, size_t texts) {
  constexpr int64_t frame = 64; // allows for roles and separators around messages
  return estimated + estimated / 2 + frame * static_cast<int64_t>(texts);
}

} // namespace kevolve::llm
