// JSON as the admin and the command line write it: keys in the order they are put in, no NaN, no infinity.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace kevolve {

using json = nlohmann::ordered_json;

// One line. Numbers that JSON cannot say become null, bytes that are no UTF-8 the replacement character.
std::string to_text(const json& x);
// The same, indented for people.
std::string to_pretty_text(const json& x);

// "2026-01-31T12:00:00.123456789Z"; null for 0.
json time_json(int64_t since_epoch_ns);

// Text, or null if empty.
json or_null(const std::string& text);

} // namespace kevolve
