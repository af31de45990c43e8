// JSON from strangers: parsing that bounds its depth, and reads of members that may be missing, null or of another
// type.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kevolve::llm {

using json = nlohmann::json;

// Null if it is not JSON or nests deeper than any vendor's. Bytes that are no UTF-8 and halves of surrogate pairs,
// which proxies cut apart, become U+FFFD.
std::optional<json> parse_json(std::string_view text);

// Null if `x` is no object, has no such member, or the member is null.
const json* member(const json& x, const char* name);
// The n-th element, null if there is none.
const json* element(const json* x, size_t n);
// The text, empty if it is none. A number becomes its digits: error codes come as both.
std::string text_of(const json* x);
// A count: a non-negative number or a string of digits.
std::optional<int64_t> count_of(const json* x);
std::optional<int64_t> count_in(const json* object, const char* name);

} // namespace kevolve::llm
