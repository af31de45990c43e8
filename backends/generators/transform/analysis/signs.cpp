// Values that are never below 0, by their form: what a sum of them never goes down by.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/ir/build.hpp"

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

// Returns v of `v < 0 ? -v : v`, as abs() is read.
const expr* magnitude_of(const expr& x) {
  if (x.kind != expr_kind::conditional)
    return nullptr;
  const auto& c = bare(x.args[0]);
  const auto& less = bare(x.args[1]);
  const bool is_it = c.kind == expr_kind::binary && c.text == "<" && literal_value(c.args[1]) == 0
                     && same(c.args[0], x.args[2]) && less.kind == expr_kind::unary && less.text == "-"
                     && same(less.args[0], x.args[2]);
  return is_it ? &x.args[2] : nullptr;
}

// Returns the value of what the list declares and never changes.
const expr* value_of(const list& body, const expr& x) {
  if (x.kind != expr_kind::name || assigned(body).count(x.text) != 0)
    return nullptr;
  const expr* out = nullptr;
  walk(body, [&](const stmt& s) {
    if (s.kind == stmt_kind::declare && s.name == x.text && s.has_value && s.type.base == bare(s.value).type.base)
      out = &s.value;
  });
  return out;
}

bool computes(const expr& e) {
  bool ok = true;
  walk(e, [&](const expr& x) {
    ok = ok && x.kind != expr_kind::opaque && (x.kind != expr_kind::call || is_pure_call(x));
  });
  return ok;
}

bool difference_of_bytes(const list& body, const expr& e) {
  const auto& x = bare(e);
  if (const auto* value = value_of(body, x))
    return difference_of_bytes(body, *value);
  const auto is_byte = [](const expr& a) {
    const expr* inner = &a;
    while (inner->kind == expr_kind::cast)
      inner = &inner->args[0];
    return inner->kind == expr_kind::subscript && bits(inner->type.base) == 8;
  };
  return x.kind == expr_kind::binary && x.text == "-" && !is_unsigned(x.type.base) && is_byte(x.args[0])
         && is_byte(x.args[1]);
}

} // namespace

bool never_negative(const list& body, const expr& e) {
  const auto& x = bare(e);
  const bool floats = is_float(x.type.base);
  if (is_truth(x))
    return true;
  if (x.kind == expr_kind::literal)
    return !x.text.starts_with('-') && (floats || literal_value(x).value_or(-1) == 1);
  if (const auto* of = magnitude_of(x))
    return floats || (!is_unsigned(x.type.base) && difference_of_bytes(body, *of));
  if (x.kind == expr_kind::conditional)
    return never_negative(body, x.args[1]) && never_negative(body, x.args[2]);
  if (x.kind == expr_kind::cast)
    return (floats || is_truth(bare(x.args[0])) || bits(x.type.base) > bits(x.args[0].type.base))
           && never_negative(body, x.args[0]);
  if (x.kind == expr_kind::call && (x.text == "fabsf" || x.text == "fabs"))
    return true;
  if (x.kind == expr_kind::binary && x.text == "*" && floats)
    return (same(x.args[0], x.args[1]) && computes(x.args[0]))
           || (never_negative(body, x.args[0]) && never_negative(body, x.args[1]));
  if (x.kind == expr_kind::binary && x.text == "+" && floats)
    return never_negative(body, x.args[0]) && never_negative(body, x.args[1]);
  const auto* value = value_of(body, x);
  return value != nullptr && never_negative(body, *value);
}

bool holds_magnitude(const list& body, const expr& e) {
  bool found = false;
  walk(e, [&](const expr& x) {
    const auto* value = value_of(body, x);
    found = found || magnitude_of(x) != nullptr || (value != nullptr && holds_magnitude(body, *value));
  });
  return found;
}

} // namespace kevolve::transform
