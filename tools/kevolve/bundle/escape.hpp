// Escapes untrusted text for the files of a bundle.
#pragma once

#include <string>
#include <string_view>

namespace kevolve {

// Escapes a text for a comment between /* and */.
std::string c_comment(std::string_view text);
// Returns an ASCII string literal with its quotes.
std::string c_literal(std::string_view text);
// Returns a quoted argument of CMake with its quotes.
std::string cmake_quoted(std::string_view text);
// Escapes a text for a line of Markdown or a cell of a table.
std::string markdown(std::string_view text);
// Returns a code span in Markdown.
std::string markdown_code(std::string_view text);
// Escapes a text that stands between tags or in an attribute.
std::string xml(std::string_view text);

} // namespace kevolve
