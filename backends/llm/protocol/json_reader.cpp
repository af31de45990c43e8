#include "backends/llm/protocol/json_reader.hpp"

#include "backends/llm/protocol/plain_text.hpp"

#include <charconv>
#include <cmath>

namespace kevolve::llm {

namespace {

constexpr int deepest = 100;

bool nests_too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest)
        return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

// Returns the code unit of `\uXXXX` at `at`; -1 if there is none.
int code_unit(std::string_view text, size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u')
    return -1;
  int unit = 0;
  const auto read = std::from_chars(text.data() + at + 2, text.data() + at + 6, unit, 16);
  return read.ec == std::errc{} && read.ptr == text.data() + at + 6 ? unit : -1;
}

std::string without_lone_surrogates(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const int unit = code_unit(text, i);
    if (unit < 0xD800 || unit > 0xDFFF) {
      out += text.substr(i, 2); // copies both bytes, since the second one starts no other escape
      ++i;
      continue;
    }
    const int next = code_unit(text, i + 6);
    if (unit < 0xDC00 && next >= 0xDC00 && next <= 0xDFFF) {
      out += text.substr(i, 12);
      i += 11;
    } else {
      out += "\\ufffd";
      i += 5;
    }
  }
  return out;
}

} // namespace

std::optional<json> parse_json(std::string_view text) {
  if (nests_too_deep(text))
    return std::nullopt;
  auto parsed = json::parse(text, nullptr, false);
  if (parsed.is_discarded())
    parsed = json::parse(without_lone_surrogates(valid_utf8(text)), nullptr, false);
  if (parsed.is_discarded())
    return std::nullopt;
  return parsed;
}

const json* member(const json& x, const char* name) {
  if (!x.is_object())
    return nullptr;
  const auto found = x.find(name);
  return found == x.end() || found->is_null() ? nullptr : &*found;
}

const json* element(const json* x, size_t n) {
  return x != nullptr && x->is_array() && n < x->size() ? &(*x)[n] : nullptr;
}

std::string text_of(const json* x) {
  if (x == nullptr)
    return {};
  if (x->is_string())
    return x->get<std::string>();
  return x->is_number() ? x->dump() : std::string{};
}

std::optional<int64_t> count_of(const json* x) {
  if (x == nullptr)
    return std::nullopt;
  constexpr double most = 9e15;
  if (x->is_number()) {
    const auto value = x->get<double>();
    if (std::isfinite(value) && value >= 0 && value <= most)
      return static_cast<int64_t>(value);
    return std::nullopt;
  }
  if (x->is_string()) {
    const auto& digits = x->get_ref<const std::string&>();
    int64_t value = 0;
    const auto* last = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), last, value);
    if (!digits.empty() && read.ec == std::errc{} && read.ptr == last && value >= 0)
      return value;
  }
  return std::nullopt;
}

std::optional<int64_t> count_in(const json* object, const char* name) {
  return object == nullptr ? std::nullopt : count_of(member(*object, name));
}

} // namespace kevolve::llm
