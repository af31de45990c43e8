// Makes foreign text safe for a prompt: labelled as data, limited in size, and unable to end its own quotation. The
// marks contain no nonce, so equal data gives equal bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kevolve::synthesis {

// The part of a text that is kept if the text is too long.
enum class cut_rule : uint8_t {
  never = 0, // it is shown whole, or the prompt is not made
  head,      // its beginning
  tail,      // its end
  ends,      // beginning and end: compilers report the first error first, logs the last event last
  items,     // as many whole items as fit, from the first: they are in order of their value
};

// Cuts a text to at most `tokens` by estimate, at line ends, with a line that counts the omitted lines. Sets *left_out
// to the number of omitted bytes. A single line that is too long is cut within.
std::string cut_to(std::string_view text, int64_t tokens, cut_rule rule, size_t* left_out = nullptr);

// Returns the text between <kevolve-data …> and </kevolve-data>, without control and invisible characters. Every word
// that could be taken for one of these marks, or for the turn marks of chat templates, gets a backslash.
std::string quote(std::string_view label, std::string_view text);

// Returns a foreign name for use within a line of ours: one line in double quotes, which it cannot end.
std::string in_quotes(std::string_view text, int64_t tokens);
inline constexpr int64_t tactic_tokens = 60; // for a step's summary

// Returns the inner text of quote(), without the marks around it.
std::string defused(std::string_view text);

} // namespace kevolve::synthesis
