// Types and values over the lanes: conversions, choices, arithmetic that must not fail.
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/vectorise/speculated.hpp"
#include "backends/generators/transform/vectorise/vectoriser.hpp"

#include <utility>

namespace kevolve::transform {

ctype vectoriser::vector_of(scalar_kind k) const {
  if (k == scalar_kind::none || k == scalar_kind::boolean)
    throw refusal{"a value of a type without vectors"};
  auto t = scalar_type(k);
  t.lanes = lanes_;
  return t;
}

ctype vectoriser::mask_of(scalar_kind k) const {
  auto t = vector_of(mask_kind(k));
  t.is_mask = true;
  return t;
}

// Returns the lower 32 bits of 64, where sums of indices are computed in 32 as well.
expr vectoriser::lower_half(const expr& v) const {
  constexpr auto half = scalar_kind::u32;
  const bool sums = v.kind == expr_kind::binary && (v.text == "+" || v.text == "-" || v.text == "*");
  if (sums && !v.type.is_mask)
    return make_expr(expr_kind::binary, vector_of(half), {lower_half(v.args[0]), lower_half(v.args[1])}, v.text);
  if (v.kind == expr_kind::ramp || v.kind == expr_kind::splat) {
    const auto n = literal_value(v.args[0]);
    return make_expr(v.kind, vector_of(half),
                     {n && *n >= 0 && *n <= 255 ? make_literal(*n, half)
                                                : make_expr(expr_kind::cast, scalar_type(half), {v.args[0]})});
  }
  const bool converted = (v.kind == expr_kind::bits || v.kind == expr_kind::convert) && is_integer(v.args[0].type.base);
  if (converted && !v.args[0].type.is_mask)
    return bits(v.args[0].type.base) == 64 ? lower_half(v.args[0]) : convert(v.args[0], half);
  return make_expr(expr_kind::convert, vector_of(half), {v});
}

expr vectoriser::convert(expr v, scalar_kind to) const {
  if (v.type.is_mask) { // a comparison as a number is 0 or 1
    auto t = v.type;
    t.is_mask = false;
    v = make_expr(expr_kind::binary, t, {std::move(v), splat(make_literal(1, t.base), t.base)}, "&");
  }
  if (v.type.base == to)
    return v;
  if (is_integer(to) && is_integer(v.type.base) && bits(to) == bits(v.type.base))
    return make_expr(expr_kind::bits, vector_of(to), {std::move(v)});
  if (is_integer(to) && is_integer(v.type.base) && bits(to) <= 32 && bits(v.type.base) == 64
      && v.kind != expr_kind::convert && v.kind != expr_kind::vector_load)
    return convert(lower_half(v), to);
  return make_expr(expr_kind::convert, vector_of(to), {std::move(v)});
}

expr vectoriser::harmless(const expr& e, const expr& asked) const {
  return wrapping(e, asked, [&](const expr& x) { return x.type.base != scalar_kind::i64 || varies(x); });
}

bool vectoriser::wraps(scalar_kind k, const std::string& op, const expr* mask) {
  const bool signed_number = is_integer(k) && !is_unsigned(k);
  const bool computes = op == "+=" || op == "-=" || op == "*=";
  return signed_number && computes && (mask != nullptr || bits(k) < 32); // C computes narrow ones as int
}

expr vectoriser::updated(const expr& target, const std::string& op, expr value, const expr* mask) const {
  const auto sign = op.substr(0, op.size() - 1);
  const auto k = target.type.base;
  if (!wraps(k, op, mask))
    return make_expr(expr_kind::binary, target.type, {target, std::move(value)}, sign);
  const auto as = unsigned_kind(k);
  auto sum = make_expr(expr_kind::binary, vector_of(as), {convert(target, as), convert(std::move(value), as)}, sign);
  return convert(std::move(sum), k);
}

expr vectoriser::splat(expr scalar, scalar_kind k) const {
  return make_expr(expr_kind::splat, vector_of(k), {std::move(scalar)});
}

expr vectoriser::lanes_left(scalar_kind k) const {
  const auto t = mask_of(k);
  auto number = t;
  number.is_mask = false;
  const auto first = make_expr(expr_kind::ramp, number, {make_literal(0, t.base)});
  return make_expr(expr_kind::binary, t, {first, make_expr(expr_kind::splat, number, {*left_})}, "<");
}

expr vectoriser::widen(expr mask, scalar_kind to) const {
  if (mask.type.base == mask_kind(to))
    return mask;
  return make_expr(expr_kind::convert, mask_of(to), {std::move(mask)});
}

expr vectoriser::choose(const expr& mask, expr yes, expr no) const {
  auto t = yes.type;
  return make_expr(expr_kind::blend, t, {widen(mask, t.base), std::move(yes), std::move(no)});
}

} // namespace kevolve::transform
