// Sanitises untrusted text: valid UTF-8, no control characters, no invisible characters.
#pragma once

#include <string>
#include <string_view>

namespace kevolve::llm {

// Returns the text with invalid UTF-8 replaced by U+FFFD, one for each maximal invalid sequence.
std::string valid_utf8(std::string_view text);
bool is_valid_utf8(std::string_view text);

// Returns valid UTF-8 whose line ends are line feeds. Removes other control characters except tab, and zero-width,
// bidirectional and tag characters.
std::string plain_text(std::string_view text);

// Returns the first byte that plain_text() would remove or replace, line ends aside; npos if there is none.
size_t first_unplain(std::string_view text);

} // namespace kevolve::llm
