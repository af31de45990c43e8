// Text that others wrote, as it may stand in a prompt: labelled as data, capped, harmless, and unable to end its own
// quotation. The marks carry no nonce, so equal data gives equal bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kevolve::synthesis {

// Which part of a text that is too long stays.
enum class cut_rule : uint8_t {
  never = 0, // it is shown whole or the prompt is not made
  head,      // its beginning
  tail,      // its end
  ends,      // beginning and end: compilers say the first error first, logs the last thing last
  items,     // whole items from the first, as many as fit: they come in the order of their worth
};

// At most `tokens` by estimate, cut at line ends, with a line that says how many lines are missing. Sets *left_out to
// the bytes that are gone. A single line that is too long is cut within.
std::string cut_to(std::string_view text, int64_t tokens, cut_rule rule, size_t* left_out = nullptr);

// Between <kevolve-data …> and </kevolve-data>: without control and invisible characters, and with a backslash in every
// word that could be taken for one of these marks or for the marks that chat templates put between turns.
std::string quote(std::string_view label, std::string_view text);

// What somebody called a thing, within a line of ours: one line between double quotes, which it cannot end.
std::string in_quotes(std::string_view text, int64_t tokens);
inline constexpr int64_t tactic_tokens = 60; // of a step's summary

// The text within, without the marks around it.
std::string defused(std::string_view text);

} // namespace kevolve::synthesis
