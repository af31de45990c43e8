// The type of a node of clang's dump, and its place in the file.
#include "backends/generators/transform/frontend/ast_reader.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>

namespace kevolve::transform {

namespace {

scalar_kind scalar_of(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, scalar_kind>, 29> table{{
      {"float", scalar_kind::f32},      {"double", scalar_kind::f64},
      {"_Float16", scalar_kind::f16},   {"char", scalar_kind::i8},
      {"signed char", scalar_kind::i8}, {"unsigned char", scalar_kind::u8},
      {"short", scalar_kind::i16},      {"unsigned short", scalar_kind::u16},
      {"int", scalar_kind::i32},        {"unsigned int", scalar_kind::u32},
      {"long", scalar_kind::i64},       {"unsigned long", scalar_kind::u64},
      {"long long", scalar_kind::i64},  {"unsigned long long", scalar_kind::u64},
      {"_Bool", scalar_kind::boolean},  {"bool", scalar_kind::boolean},
      {"int8_t", scalar_kind::i8},      {"uint8_t", scalar_kind::u8},
      {"int16_t", scalar_kind::i16},    {"uint16_t", scalar_kind::u16},
      {"int32_t", scalar_kind::i32},    {"uint32_t", scalar_kind::u32},
      {"int64_t", scalar_kind::i64},    {"uint64_t", scalar_kind::u64},
      {"size_t", scalar_kind::u64},     {"ssize_t", scalar_kind::i64},
      {"ptrdiff_t", scalar_kind::i64},  {"unsigned", scalar_kind::u32},
      {"intptr_t", scalar_kind::i64},
  }};
  for (const auto& [text, kind] : table)
    if (text == name)
      return kind;
  return scalar_kind::none;
}

std::string_view trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ')
    s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ')
    s.remove_suffix(1);
  return s;
}

bool drop_suffix(std::string_view& s, std::string_view suffix) {
  if (s.size() < suffix.size() || s.substr(s.size() - suffix.size()) != suffix)
    return false;
  s = trim(s.substr(0, s.size() - suffix.size()));
  return true;
}

// Returns the declarator apart from its base: "const float *restrict" → "float", depth 1, const.
ctype parse_one(std::string_view s) {
  ctype t;
  s = trim(s);
  if (s.find('(') != std::string_view::npos || s.find("volatile") != std::string_view::npos
      || s.find("_Atomic") != std::string_view::npos)
    return t;
  if (auto bracket = s.find('['); bracket != std::string_view::npos) {
    t.suffix = std::string{s.substr(bracket)};
    s = trim(s.substr(0, bracket));
  }
  for (bool again = true; again;) {
    again = drop_suffix(s, "restrict") || drop_suffix(s, "__restrict");
    // A const after a star is the pointer's own and of no interest; after the base it is the pointee's.
    if (s.size() > 6 && s.substr(s.size() - 5) == "const" && (s[s.size() - 6] == '*' || s[s.size() - 6] == ' '))
      if (s.find('*') != std::string_view::npos && s[s.size() - 6] == '*')
        again = drop_suffix(s, "const");
    if (drop_suffix(s, "*")) {
      ++t.depth;
      again = true;
    }
  }
  if (drop_suffix(s, " const"))
    t.is_const = true;
  if (s.substr(0, 6) == "const ") {
    t.is_const = true;
    s = trim(s.substr(6));
  }
  t.text = std::string{s};
  t.base = scalar_of(s);
  return t;
}

} // namespace

ctype parse_ctype(std::string_view spelling, std::string_view desugared) {
  auto t = parse_one(spelling);
  if (t.base != scalar_kind::none || desugared.empty())
    return t;
  auto d = parse_one(desugared);
  if (d.base == scalar_kind::none)
    return t;
  // A typedef of a scalar keeps its spelling; one that hides a pointer or an array does not.
  if (t.depth == d.depth && t.suffix == d.suffix && !t.text.empty())
    d.text = t.text;
  return d;
}

std::string ast_reader::text(json node, const char* key) {
  std::string_view v;
  return node[key].get(v) == simdjson::SUCCESS ? std::string{v} : std::string{};
}

std::vector<json> ast_reader::children(json node) {
  std::vector<json> out;
  simdjson::dom::array inner;
  if (node["inner"].get(inner) == simdjson::SUCCESS)
    for (auto child : inner)
      out.push_back(child);
  return out;
}

bool ast_reader::well_formed(json node) {
  static const std::map<std::string, size_t, std::less<>> operands{
      {"BinaryOperator", 2},      {"CompoundAssignOperator", 2}, {"ArraySubscriptExpr", 2},
      {"ConditionalOperator", 3}, {"UnaryOperator", 1},          {"ParenExpr", 1},
      {"ConstantExpr", 1},        {"CStyleCastExpr", 1},         {"ImplicitCastExpr", 1},
  };
  const auto inner = children(node);
  const auto it = operands.find(text(node, "kind"));
  return (it == operands.end() || it->second == inner.size()) && std::all_of(inner.begin(), inner.end(), well_formed);
}

namespace {

constexpr uint64_t largest_file = uint64_t{1} << 40U; // so that sums of offsets stay offsets

std::optional<uint64_t> number(json node, const char* key) {
  uint64_t v = 0;
  if (node[key].get(v) != simdjson::SUCCESS)
    return {};
  return v;
}

} // namespace

std::optional<std::pair<size_t, size_t>> ast_reader::range(json node) {
  json begin;
  json end;
  if (node["range"]["begin"].get(begin) != simdjson::SUCCESS || node["range"]["end"].get(end) != simdjson::SUCCESS)
    return {};
  auto b = number(begin, "offset");
  auto e = number(end, "offset");
  auto n = number(end, "tokLen");
  if (!b || !e || !n || begin["includedFrom"].error() == simdjson::SUCCESS)
    return {};
  if (*e > largest_file || *n > largest_file || *b >= *e + *n)
    return {};
  return std::pair<size_t, size_t>{*b, *e + *n};
}

std::optional<std::pair<size_t, size_t>> ast_reader::expanded_range(json node) const {
  auto place = [&](const char* which) -> std::optional<std::pair<size_t, bool>> {
    json p;
    if (node["range"][which].get(p) != simdjson::SUCCESS)
      return {};
    json expansion;
    bool macro = p["expansionLoc"].get(expansion) == simdjson::SUCCESS;
    auto at = macro ? expansion : p;
    auto offset = number(at, "offset");
    auto length = number(at, "tokLen");
    if (!offset || !length || at["includedFrom"].error() == simdjson::SUCCESS)
      return {};
    return std::pair<size_t, bool>{*offset + (std::string_view{which} == "end" ? *length : 0), macro};
  };
  auto begin = place("begin");
  auto end = place("end");
  if (!begin || !end || end->first > source_.size() || begin->first >= end->first)
    return {};
  auto stop = end->first;
  if (end->second) { // a function-like macro: clang names only its first token; take its arguments too
    auto at = stop;
    while (at < source_.size() && std::isspace(static_cast<unsigned char>(source_[at])) != 0)
      ++at;
    if (at < source_.size() && source_[at] == '(') {
      int depth = 0;
      for (; at < source_.size(); ++at) {
        depth += source_[at] == '(' ? 1 : source_[at] == ')' ? -1 : 0;
        if (depth == 0) {
          stop = at + 1;
          break;
        }
      }
    }
  }
  return std::pair<size_t, size_t>{begin->first, stop};
}

} // namespace kevolve::transform
