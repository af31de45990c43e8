// Text that others wrote, so that it stays text in the file that it is put into.
#pragma once

#include <string>
#include <string_view>

namespace kevolve {

// Inside /* */.
std::string c_comment(std::string_view text);
// A string literal with its quotes; ASCII.
std::string c_literal(std::string_view text);
// A quoted argument of CMake with its quotes.
std::string cmake_quoted(std::string_view text);
// In a line of Markdown or a cell of a table.
std::string markdown(std::string_view text);
// A span of code in Markdown.
std::string markdown_code(std::string_view text);
// Between tags or in an attribute.
std::string xml(std::string_view text);

} // namespace kevolve
