// URLs as texts: percent-decoding, and the detection of secrets that must not be shown to others.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kevolve {

// Decodes %XX sequences. Returns nothing if the encoding is broken or contains a zero byte.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);

// Returns true if this name usually holds a secret: "key", "X-Api-Key", "access_token", "sig".
bool is_secret_name(std::string_view name);

// Names the part of a URL that is a secret: "a user's name or password", "the parameter 'key'". Returns nothing if
// there is none. Outside http and https a user's name alone is not secret ("git@").
std::optional<std::string> secret_in_url(std::string_view url);

// Says why a URL cannot be the base address of a service in a file that others read, and what to write: "names no host;
// …". Returns nothing if it can. The text never repeats a part of the URL that may be a secret.
std::optional<std::string> base_url_problem(std::string_view url);

} // namespace kevolve
