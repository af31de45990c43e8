#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

namespace kevolve::transform {

expr make_literal(int64_t value, scalar_kind kind) {
  expr e;
  e.kind = expr_kind::literal;
  e.text = std::to_string(value);
  e.type = scalar_type(kind);
  return e;
}

expr make_name(std::string name, ctype type) {
  expr e;
  e.kind = expr_kind::name;
  e.text = std::move(name);
  e.type = std::move(type);
  return e;
}

expr make_expr(expr_kind kind, ctype type, std::vector<expr> args, std::string text) {
  expr e;
  e.kind = kind;
  e.type = std::move(type);
  e.args = std::move(args);
  e.text = std::move(text);
  return e;
}

const expr& bare(const expr& e) {
  return e.kind == expr_kind::cast && e.implicit ? bare(e.args[0]) : e;
}

expr make_unary(std::string op, expr a) {
  auto t = a.type;
  return make_expr(expr_kind::unary, t, {std::move(a)}, std::move(op));
}

stmt assigned_by(expr target, const std::string& op, expr value, const ctype& in) {
  const auto own = target.type.base;
  const bool wraps = op == "/=" || op == "%=" || op == ">>="; // the others come to the same in fewer bits
  if (op == "=" || !is_integer(own) || own == in.base || in.base == scalar_kind::none || !(is_float(in.base) || wraps))
    return make_assign(std::move(target), op, std::move(value));
  const auto wide = scalar_type(in.base);
  auto before = make_expr(expr_kind::cast, wide, {target});
  auto after = make_expr(expr_kind::binary, wide, {std::move(before), std::move(value)}, op.substr(0, op.size() - 1));
  auto now = make_expr(expr_kind::cast, scalar_type(own), {std::move(after)});
  return make_assign(std::move(target), "=", std::move(now));
}

bool is_truth(const expr& e) {
  static const std::set<std::string> asking{"<", ">", "<=", ">=", "==", "!=", "&&", "||", "!"};
  const auto& c = bare(e);
  return (c.kind == expr_kind::binary || c.kind == expr_kind::unary) && asking.count(c.text) != 0;
}

std::optional<std::vector<int64_t>> extents_of(const ctype& t) {
  std::vector<int64_t> out;
  for (size_t at = 0; at < t.suffix.size();) {
    const auto end = t.suffix.find(']', at);
    int64_t n = 0;
    if (t.suffix[at] != '[' || end == std::string::npos)
      return {};
    const auto* last = t.suffix.data() + end;
    if (const auto [rest, error] = std::from_chars(t.suffix.data() + at + 1, last, n);
        rest != last || error != std::errc{} || n < 1)
      return {};
    out.push_back(n);
    at = end + 1;
  }
  return out;
}

std::optional<int64_t> size_of(const ctype& t) {
  const auto all = extents_of(t);
  if (!all || t.depth != 0 || t.lanes != 1 || t.base == scalar_kind::none || t.base == scalar_kind::boolean)
    return {};
  int64_t out = bits(t.base) / 8;
  for (const auto n : *all)
    if (__builtin_mul_overflow(out, n, &out))
      return {};
  return out;
}

std::optional<int64_t> literal_value(const expr& e) {
  if (e.kind == expr_kind::cast && e.implicit && is_integer(e.type.base))
    return literal_value(e.args[0]);
  if (e.kind != expr_kind::literal || !is_integer(e.type.base) || e.text.empty())
    return {};
  int64_t v = 0;
  size_t i = 0;
  for (; i < e.text.size() && std::isdigit(static_cast<unsigned char>(e.text[i])) != 0; ++i) {
    if (v > INT64_MAX / 16)
      return {};
    v = v * 10 + (e.text[i] - '0');
  }
  if (i == 0 || (i > 1 && e.text[0] == '0')) // no octal, no hexadecimal
    return {};
  for (; i < e.text.size(); ++i)
    if (std::string_view{"uUlL"}.find(e.text[i]) == std::string_view::npos)
      return {};
  return v;
}

bool is_zero(const expr& e) {
  const auto& x = bare(e);
  return x.kind == expr_kind::literal
         && (literal_value(x) == 0 || (is_float(x.type.base) && std::strtod(x.text.c_str(), nullptr) == 0));
}

expr make_binary(std::string op, expr a, expr b) {
  auto x = literal_value(a);
  auto y = literal_value(b);
  auto kind = bits(b.type.base) > bits(a.type.base) ? b.type.base : a.type.base;
  if (x && y && *x < (1 << 30) && *y < (1 << 30)) {
    if (op == "+")
      return make_literal(*x + *y, kind);
    if (op == "*")
      return make_literal(*x * *y, kind);
    if (op == "/" && *y > 0)
      return make_literal(*x / *y, kind);
    if (op == "-" && *x >= *y)
      return make_literal(*x - *y, kind);
  }
  if (y == 0 && (op == "+" || op == "-"))
    return a;
  if (x == 0 && op == "+")
    return b;
  if (y == 1 && (op == "*" || op == "/"))
    return a;
  // 0 - (0 - e) is e, (e - 1) + 1 is e.
  if (x == 0 && op == "-" && b.kind == expr_kind::binary && b.text == "-" && literal_value(b.args[0]) == 0)
    return b.args[1];
  if (y && is_integer(kind) && op == "+" && a.kind == expr_kind::binary && a.text == "-"
      && literal_value(a.args[1]) == y)
    return a.args[0];
  // (e + 1) + 2 is e + 3: keeps unrolled subscripts short.
  if (y && op == "+" && a.kind == expr_kind::binary && a.text == "+")
    if (auto inner = literal_value(a.args[1]))
      return make_binary("+", a.args[0], make_literal(*inner + *y, b.type.base));
  ctype t = scalar_type(kind);
  if (a.type.lanes > 1)
    t = a.type;
  return make_expr(expr_kind::binary, t, {std::move(a), std::move(b)}, std::move(op));
}

stmt make_declare(std::string name, ctype type, std::optional<expr> value) {
  stmt s;
  s.kind = stmt_kind::declare;
  s.name = std::move(name);
  s.type = std::move(type);
  s.has_value = value.has_value();
  if (value)
    s.value = std::move(*value);
  return s;
}

stmt make_assign(expr target, std::string op, expr value) {
  stmt s;
  s.kind = stmt_kind::assign;
  s.target = std::move(target);
  s.op = std::move(op);
  s.value = std::move(value);
  return s;
}

stmt make_block(std::vector<stmt> body) {
  stmt s;
  s.kind = stmt_kind::block;
  s.body = std::move(body);
  return s;
}

bool is_float(scalar_kind k) {
  return k == scalar_kind::f16 || k == scalar_kind::f32 || k == scalar_kind::f64;
}
bool is_integer(scalar_kind k) {
  return k != scalar_kind::none && !is_float(k);
}
bool is_unsigned(scalar_kind k) {
  return k == scalar_kind::boolean || k == scalar_kind::u8 || k == scalar_kind::u16 || k == scalar_kind::u32
         || k == scalar_kind::u64;
}

int bits(scalar_kind k) {
  switch (k) {
    case scalar_kind::none:
      return 0;
    case scalar_kind::boolean:
    case scalar_kind::i8:
    case scalar_kind::u8:
      return 8;
    case scalar_kind::i16:
    case scalar_kind::u16:
    case scalar_kind::f16:
      return 16;
    case scalar_kind::i32:
    case scalar_kind::u32:
    case scalar_kind::f32:
      return 32;
    case scalar_kind::i64:
    case scalar_kind::u64:
    case scalar_kind::f64:
      return 64;
  }
  return 0;
}

scalar_kind unsigned_kind(scalar_kind k) {
  return bits(k) == 64   ? scalar_kind::u64
         : bits(k) == 32 ? scalar_kind::u32
         : bits(k) == 16 ? scalar_kind::u16
                         : scalar_kind::u8;
}

scalar_kind mask_kind(scalar_kind k) {
  switch (bits(k)) {
    case 8:
      return scalar_kind::i8;
    case 16:
      return scalar_kind::i16;
    case 64:
      return scalar_kind::i64;
    default:
      return scalar_kind::i32;
  }
}

} // namespace kevolve::transform
