// Base64 with padding and without line breaks (RFC 4648): bytes in JSON, and passwords of proxies.
#pragma once

#include "runtime/base/result.hpp"

#include <string>
#include <string_view>

namespace kevolve {

// Returns the text of these bytes.
std::string to_base64(std::string_view bytes);
// Returns the bytes of a text that to_base64() wrote; errc::bad_input for any other text.
result<std::string> from_base64(const std::string& text);

} // namespace kevolve
