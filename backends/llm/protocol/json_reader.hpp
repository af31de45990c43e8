// Reads JSON from untrusted sources. Parsing bounds the depth; members may be missing, null or of another type.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kevolve::llm {

using json = nlohmann::json;

// Returns null if the text is not JSON or nests deeper than any vendor's format. Invalid UTF-8 and lone halves of
// surrogate pairs, which proxies cut apart, become U+FFFD.
std::optional<json> parse_json(std::string_view text);

// Returns null if `x` is no object, has no such member, or the member is null.
const json* member(const json& x, const char* name);
// Returns the n-th element; null if there is none.
const json* element(const json* x, size_t n);
// Returns the string, empty if `x` is none. A number becomes its digits, since error codes come in both forms.
std::string text_of(const json* x);
// Returns a count: a non-negative number or a string of digits. Null for anything else.
std::optional<int64_t> count_of(const json* x);
std::optional<int64_t> count_in(const json* object, const char* name);

} // namespace kevolve::llm
