#include "backends/generators/transform/ast_reader.hpp"

#include "backends/generators/transform/build.hpp"
#include "backends/generators/transform/print.hpp"

#include <algorithm>
#include <array>
#include <cctype>

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

// The declarator apart from its base: "const float *restrict" → "float", depth 1, const.
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

namespace {

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

ctype ast_reader::type_of(json node) const {
  json type;
  if (node["type"].get(type) != simdjson::SUCCESS)
    return {};
  return parse_ctype(text(type, "qualType"), text(type, "desugaredQualType"));
}

void ast_reader::mentioned(json node, std::map<std::string, std::string>& names) const {
  json decl;
  if (node["referencedDecl"].get(decl) == simdjson::SUCCESS) {
    auto it = names_.find(text(decl, "id"));
    if (it != names_.end())
      names[text(decl, "name")] = it->second;
  }
  for (auto child : children(node))
    mentioned(child, names);
}

void ast_reader::changed(json node, std::vector<std::string>& names) const {
  auto kind = text(node, "kind");
  auto op = text(node, "opcode");
  bool changes = (kind == "BinaryOperator" && op == "=") || kind == "CompoundAssignOperator"
                 || (kind == "UnaryOperator" && (op == "++" || op == "--" || op == "&"));
  auto inner = children(node);
  if (changes && !inner.empty()) {
    auto target = inner[0];
    while (text(target, "kind") == "ParenExpr")
      target = children(target)[0];
    std::map<std::string, std::string> below; // an element of an array is no change of a variable
    if (text(target, "kind") == "DeclRefExpr")
      mentioned(target, below);
    for (const auto& [old_name, new_name] : below)
      names.push_back(new_name);
  }
  for (auto child : inner)
    changed(child, names);
}

expr ast_reader::opaque_expr(json node) {
  expr e;
  e.kind = expr_kind::opaque;
  e.type = type_of(node);
  if (auto where = expanded_range(node))
    e.text = source_.substr(where->first, where->second - where->first);
  std::map<std::string, std::string> names;
  mentioned(node, names);
  for (const auto& [old_name, new_name] : names) {
    if (old_name != new_name)
      e.text = replace_identifier(e.text, old_name, new_name);
    e.names.push_back(new_name);
  }
  if (e.text.empty())
    out_.notes.push_back("an expression of kind " + text(node, "kind") + " without a place in the file");
  return e;
}

expr ast_reader::read_expr(json node) {
  auto kind = text(node, "kind");
  auto inner = children(node);
  auto type = type_of(node);
  auto sub = [&](size_t i) { return read_expr(inner[i]); };
  if ((kind == "ParenExpr" || kind == "ConstantExpr") && inner.size() == 1)
    return sub(0);
  if (kind == "ImplicitCastExpr" && inner.size() == 1) {
    auto cast = text(node, "castKind");
    bool converts = cast == "IntegralCast" || cast == "FloatingCast" || cast == "IntegralToFloating"
                    || cast == "FloatingToIntegral" || cast == "IntegralToBoolean" || cast == "FloatingToBoolean";
    if (!converts)
      return sub(0);
    auto e = make_expr(expr_kind::cast, type, {sub(0)});
    e.implicit = true;
    return e;
  }
  if (kind == "CStyleCastExpr" && inner.size() == 1 && type.depth == 0 && type.base != scalar_kind::none
      && type.suffix.empty())
    return make_expr(expr_kind::cast, type, {sub(0)});
  if (kind == "IntegerLiteral" || kind == "FloatingLiteral") {
    auto where = range(node);
    auto e = make_expr(expr_kind::literal, type, {});
    if (where && where->second <= source_.size()) {
      e.text = source_.substr(where->first, where->second - where->first);
    } else {
      e.text = text(node, "value");
      if (kind == "FloatingLiteral") {
        if (e.text.find_first_of(".eEn") == std::string::npos)
          e.text += ".0";
        if (type.base == scalar_kind::f32)
          e.text += "f";
      } else if (type.base == scalar_kind::i64)
        e.text += "L";
      else if (type.base == scalar_kind::u64)
        e.text += "UL";
      else if (type.base == scalar_kind::u32)
        e.text += "U";
    }
    return e;
  }
  if (kind == "DeclRefExpr") {
    json decl;
    if (node["referencedDecl"].get(decl) != simdjson::SUCCESS)
      return opaque_expr(node);
    auto it = names_.find(text(decl, "id"));
    return make_name(it != names_.end() ? it->second : text(decl, "name"), type);
  }
  if (kind == "ArraySubscriptExpr" && inner.size() == 2) {
    auto base = sub(0);
    auto index = sub(1);
    if (is_integer(base.type.base) && base.type.depth == 0 && base.type.suffix.empty())
      std::swap(base, index); // 2[a]
    return make_expr(expr_kind::subscript, type, {std::move(base), std::move(index)});
  }
  if (kind == "UnaryOperator" && inner.size() == 1) {
    auto op = text(node, "opcode");
    auto a = sub(0);
    if (op == "*") { // *p is p[0], *(p + i) is p[i]
      if (a.kind == expr_kind::binary && a.text == "+" && a.args[0].type.depth > 0)
        return make_expr(expr_kind::subscript, type, {a.args[0], a.args[1]});
      return make_expr(expr_kind::subscript, type, {std::move(a), make_literal(0)});
    }
    if (op == "+")
      return a;
    if (op == "-" || op == "!" || op == "~" || op == "&")
      return make_expr(expr_kind::unary, type, {std::move(a)}, op);
    bool postfix = false;
    if (after_ != nullptr && a.kind == expr_kind::name && node["isPostfix"].get(postfix) == simdjson::SUCCESS
        && postfix) {
      after_->push_back(make_assign(a, op == "++" ? "+=" : "-=", make_literal(1)));
      return a;
    }
    return opaque_expr(node); // ++ and -- whose moment matters
  }
  if (kind == "BinaryOperator" && inner.size() == 2) {
    auto op = text(node, "opcode");
    if (op == "=" || op == ",")
      return opaque_expr(node);
    auto after = op == "&&" || op == "||" ? std::exchange(after_, nullptr) : after_;
    auto e = make_expr(expr_kind::binary, type, {sub(0), sub(1)}, op);
    after_ = after;
    return e;
  }
  if (kind == "ConditionalOperator" && inner.size() == 3) {
    auto after = std::exchange(after_, nullptr);
    auto e = make_expr(expr_kind::conditional, type, {sub(0), sub(1), sub(2)});
    after_ = after;
    return e;
  }
  if (kind == "MemberExpr" && inner.size() == 1) {
    bool arrow = false;
    if (node["isArrow"].get(arrow) != simdjson::SUCCESS)
      arrow = false;
    return make_expr(expr_kind::member, type, {sub(0)}, (arrow ? "->" : ".") + text(node, "name"));
  }
  if (kind == "CallExpr" && !inner.empty()) {
    auto callee = sub(0);
    if (callee.kind != expr_kind::name)
      return opaque_expr(node);
    auto e = make_expr(expr_kind::call, type, {}, callee.text);
    for (size_t i = 1; i < inner.size(); ++i)
      e.args.push_back(sub(i));
    return e;
  }
  return opaque_expr(node);
}

} // namespace kevolve::transform
