// The Markdown of a document: sections, examples of code, references and sources. Pure.
#pragma once

#include "actors/knowledge/document.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kevolve::knowledge {

// Splits the text after the front matter. `first_line` is its first line in the file. Errors are added to `errors`.
std::vector<document_section> read_sections(std::string_view markdown, int first_line, const std::string& file,
                                            std::vector<diagnostic>& errors);

// Returns the references [file#symbol] of a line. A link of Markdown, [text](address), is none.
std::vector<code_reference> references_in(std::string_view line, int number);

} // namespace kevolve::knowledge
