#include "backends/generators/transform/vectorise/speculated.hpp"

#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace kevolve::transform {

namespace {

// A range of whole numbers; of this type, because 64 bits are exact in it.
struct value_range {
  long double least;
  long double greatest;

  bool holds(const value_range& other) const { return least <= other.least && other.greatest <= greatest; }
};

value_range range_of(scalar_kind k) {
  const auto end = std::ldexp(1.0L, bits(k) - (is_unsigned(k) ? 0 : 1));
  return {is_unsigned(k) ? 0.0L : -end, end - 1};
}

value_range around(std::initializer_list<long double> ends) {
  return {std::min(ends), std::max(ends)};
}

// Returns the range of e if nothing wraps, by the types of what it is made of.
value_range exact(const expr& e);

value_range values_of(const expr& e) {
  const auto all = range_of(e.type.base);
  const auto out = exact(e);
  return all.holds(out) ? out : all;
}

value_range exact(const expr& e) {
  if (const auto n = literal_value(e))
    return {static_cast<long double>(*n), static_cast<long double>(*n)};
  const auto numbers = [&](size_t first) {
    return e.args.size() == first + 2 && is_integer(e.args[first].type.base) && is_integer(e.args[first + 1].type.base);
  };
  if (e.kind == expr_kind::cast && is_integer(e.args[0].type.base))
    return values_of(e.args[0]);
  if (e.kind == expr_kind::unary && e.text == "-" && is_integer(e.args[0].type.base)) {
    const auto a = values_of(e.args[0]);
    return {-a.greatest, -a.least};
  }
  if (e.kind == expr_kind::conditional && numbers(1)) {
    const auto a = values_of(e.args[1]);
    const auto b = values_of(e.args[2]);
    return around({a.least, b.least, a.greatest, b.greatest});
  }
  if (e.kind == expr_kind::binary && numbers(0)) {
    const auto a = values_of(e.args[0]);
    const auto b = values_of(e.args[1]);
    if (e.text == "+")
      return {a.least + b.least, a.greatest + b.greatest};
    if (e.text == "-")
      return {a.least - b.greatest, a.greatest - b.least};
    if (e.text == "*")
      return around({a.least * b.least, a.least * b.greatest, a.greatest * b.least, a.greatest * b.greatest});
    if (e.text == "&" && b.least == b.greatest && b.least >= 0)
      return {0, b.greatest};
  }
  return is_truth(e) ? value_range{0, 1} : range_of(e.type.base);
}

bool may_overflow(const expr& e) {
  const auto k = e.type.base;
  const bool computes = (e.kind == expr_kind::unary && e.text == "-")
                        || (e.kind == expr_kind::binary && (e.text == "+" || e.text == "-" || e.text == "*"));
  return computes && is_integer(k) && !is_unsigned(k) && e.type.depth == 0 && !range_of(k).holds(exact(e));
}

bool evaluates(const expr& whole, const expr& part) {
  bool out = false;
  walk(whole, [&](const expr& x) { out = out || same(x, part); });
  return out;
}

} // namespace

expr wrapping(expr e, const expr& asked, const std::function<bool(const expr&)>& data) {
  if (e.kind == expr_kind::subscript || !data(e))
    return e;
  for (auto& a : e.args.change())
    a = wrapping(std::move(a), asked, data);
  if (!may_overflow(e) || evaluates(asked, e))
    return e;
  const auto own = e.type;
  const auto type = scalar_type(unsigned_kind(own.base));
  const auto as_unsigned = [&](expr x) { return make_expr(expr_kind::cast, type, {std::move(x)}); };
  if (e.kind == expr_kind::unary)
    e = make_expr(expr_kind::binary, type, {make_literal(0, type.base), as_unsigned(e.args[0])}, "-");
  else
    e = make_expr(expr_kind::binary, type, {as_unsigned(e.args[0]), as_unsigned(e.args[1])}, e.text);
  return make_expr(expr_kind::cast, own, {std::move(e)});
}

} // namespace kevolve::transform
