// Bytes that are no text, as JSON carries them.
#pragma once

#include "runtime/base/result.hpp"

#include <string>
#include <string_view>

namespace kevolve {

std::string to_base64(std::string_view bytes);
// Decodes a text. errc::bad_input: the text is not what to_base64() writes.
result<std::string> from_base64(const std::string& text);

} // namespace kevolve
