#pragma once

#include <string>
#include <string_view>

namespace kevolve {

// Text that others wrote, so that it moves no cursor, changes no colour and shows in the order in which it stands.
// Control characters become spaces; characters that turn the direction of the text round or are not to be seen are
// named, as "<U+202E>"; bytes that are no UTF-8 become U+FFFD.
std::string printable(std::string_view text);

} // namespace kevolve
