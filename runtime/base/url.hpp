// URLs as texts: what is encoded in them, and what of them must not be told to others.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kevolve {

// Nothing if the encoding is broken or hides a zero byte.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);

// Whether people put a secret behind this name: "key", "X-Api-Key", "access_token", "sig".
bool is_secret_name(std::string_view name);

// What of a URL opens something: "a user's name or password", "the parameter 'key'". Nothing if there is none. Beside
// http and https a user's name alone is none: git@ is everybody's.
std::optional<std::string> secret_in_url(std::string_view url);

// Why a URL is no base address of a service that others may read of, and what to write: "names no host; …". Nothing if
// it is one. What it says repeats no part of the URL that may be a secret.
std::optional<std::string> base_url_problem(std::string_view url);

} // namespace kevolve
