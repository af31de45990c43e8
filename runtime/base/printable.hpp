#pragma once

#include <string>
#include <string_view>

namespace kevolve {

// Text that others wrote, without control characters: it moves no cursor and changes no colour.
std::string printable(std::string_view text);

} // namespace kevolve
