// Lines such as "problem: …" in a model's reply. Pure.
#pragma once

#include <string>
#include <string_view>

namespace kevolve::synthesis {

// Returns the text after the label, which is in lower case, if the line begins with it in any case, decorated or not:
// at most 300 bytes, without control characters. Empty: the line begins otherwise.
std::string text_after(std::string_view line, std::string_view label);

// Takes the first line off a text, without its end.
std::string_view take_line(std::string_view& text);

} // namespace kevolve::synthesis
