// Text from strangers made harmless to read: valid UTF-8, no control characters, nothing invisible.
#pragma once

#include <string>
#include <string_view>

namespace kevolve::llm {

// Bytes that are no UTF-8 become U+FFFD, one for each run that could have begun a character.
std::string valid_utf8(std::string_view text);
bool is_valid_utf8(std::string_view text);

// Valid UTF-8 with line feeds alone as line ends, and without control characters other than line feed and tab, without
// zero-width, bidirectional and tag characters.
std::string plain_text(std::string_view text);

// The first byte of what plain_text() would take out or mend, line ends aside; npos: nothing.
size_t first_unplain(std::string_view text);

} // namespace kevolve::llm
