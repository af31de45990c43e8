#pragma once

#include <string>
#include <string_view>

namespace kevolve {

// Makes foreign text safe to print: it cannot move the cursor, change the colour or reorder what is shown. Control
// characters become spaces. Characters that are invisible or change the text direction are shown as "<U+202E>". Bytes
// that are not UTF-8 become U+FFFD.
std::string printable(std::string_view text);

} // namespace kevolve
