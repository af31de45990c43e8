// memset and memcpy, which forbid any claim about what they touch, as loops over elements, which do not.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/normalise/steps.hpp"

#include <functional>
#include <optional>
#include <utility>

namespace kevolve::transform {

namespace {

// A run of elements: an array, or where in one it begins.
struct run {
  expr base;
  expr offset = make_literal(0);
  std::vector<int64_t> extents; // of a whole array of two dimensions
};

std::optional<run> run_at(const expr& pointer) {
  const auto* e = &pointer;
  while (e->kind == expr_kind::cast)
    e = &e->args[0];
  run out;
  if (e->kind == expr_kind::unary && e->text == "&" && e->args[0].kind == expr_kind::subscript) {
    out.base = e->args[0].args[0];
    out.offset = e->args[0].args[1];
  } else if (e->kind == expr_kind::binary && e->text == "+" && e->args[0].kind == expr_kind::name) {
    out.base = e->args[0];
    out.offset = e->args[1];
  } else if (e->kind == expr_kind::name)
    out.base = *e;
  const auto& t = out.base.type;
  if (out.base.kind != expr_kind::name || t.base == scalar_kind::none || t.base == scalar_kind::boolean)
    return {};
  if (t.depth == 1 && t.suffix.empty())
    return out;
  const auto extents = extents_of(t);
  const bool known =
      t.depth == 0 && (t.suffix.starts_with('[') && (extents || t.suffix.find('[', 1) == std::string::npos));
  if (!known || (extents && (extents->size() > 2 || (extents->size() == 2 && literal_value(out.offset) != 0))))
    return {};
  if (extents && extents->size() == 2)
    out.extents = *extents;
  return out;
}

// Returns the number of elements of `size` bytes, from a product that names that size.
std::optional<expr> elements(const expr& bytes, int64_t size) {
  std::vector<expr> factors;
  int64_t number = 1;
  const std::function<void(const expr&)> split = [&](const expr& whole) {
    const auto& e = bare(whole);
    if (const auto n = literal_value(e); n && *n > 0 && *n < (int64_t{1} << 40U) && number < (int64_t{1} << 20U))
      number *= *n;
    else if (e.kind == expr_kind::binary && e.text == "*") {
      split(e.args[0]);
      split(e.args[1]);
    } else
      factors.push_back(e);
  };
  split(bytes);
  if (number % size != 0)
    return {};
  const auto count = scalar_type(scalar_kind::i64);
  auto out = make_literal(number / size, scalar_kind::i64);
  for (const auto& f : factors) {
    if (!is_integer(f.type.base) || f.type.depth != 0)
      return {};
    auto wide = f.type.base == scalar_kind::i64 ? f : make_expr(expr_kind::cast, count, {f});
    out = literal_value(out) == 1 ? std::move(wide) : make_binary("*", std::move(out), std::move(wide));
  }
  return out;
}

class speller {
public:
  explicit speller(program& p) : p_(p) {}

  std::optional<stmt> loop_for(const stmt& s) {
    const auto& call = bare(s.value);
    if (s.kind != stmt_kind::evaluate || call.kind != expr_kind::call || call.args.size() != 3)
      return {};
    const bool sets = call.text == "memset" || call.text == "__builtin_memset";
    const bool copies = call.text == "memcpy" || call.text == "__builtin_memcpy";
    const auto to = run_at(call.args[0]);
    const auto from = copies ? run_at(call.args[1]) : std::nullopt;
    if ((!sets && !copies) || !to || (sets && literal_value(call.args[1]) != 0)
        || (copies && (!from || from->base.type.base != to->base.type.base)))
      return {};
    const auto count = elements(call.args[2], bits(to->base.type.base) / 8);
    if (!count || !is_speculable(*count))
      return {};
    const auto rows = !to->extents.empty() ? to->extents : from ? from->extents : std::vector<int64_t>{};
    const auto type = scalar_type(scalar_kind::i64);
    const auto outer = make_name(fresh_name(p_, "e"), type);
    if (rows.empty())
      return over(outer, *count, assign(*to, from, outer, outer, outer));
    if (literal_value(*count) != rows[0] * rows[1] || (from && !from->extents.empty() && from->extents != rows))
      return {};
    const auto inner = make_name(fresh_name(p_, "e"), type);
    const auto flat = make_binary("+", make_binary("*", outer, make_literal(rows[1], scalar_kind::i64)), inner);
    return over(outer, make_literal(rows[0], scalar_kind::i64),
                over(inner, make_literal(rows[1], scalar_kind::i64), assign(*to, from, flat, outer, inner)));
  }

private:
  static expr element(const run& r, const expr& flat, const expr& row, const expr& column) {
    const auto type = scalar_type(r.base.type.base);
    if (r.extents.empty())
      return make_expr(expr_kind::subscript, type, {r.base, make_binary("+", r.offset, flat)});
    auto of_row = type;
    of_row.suffix = "[" + std::to_string(r.extents[1]) + "]";
    return make_expr(expr_kind::subscript, type, {make_expr(expr_kind::subscript, of_row, {r.base, row}), column});
  }

  static stmt assign(const run& to, const std::optional<run>& from, const expr& flat, const expr& row,
                     const expr& column) {
    return make_assign(element(to, flat, row, column), "=",
                       from ? element(*from, flat, row, column) : make_literal(0, to.base.type.base));
  }

  static stmt over(const expr& index, expr count, stmt body) {
    stmt l;
    l.kind = stmt_kind::loop;
    l.name = index.text;
    l.type = index.type;
    l.from = make_literal(0, index.type.base);
    l.to = std::move(count);
    l.body = {std::move(body)};
    return l;
  }

  program& p_;
};

} // namespace

void spell_copies(program& p, stmt_list& body) {
  for (auto& s : body) {
    spell_copies(p, s.body.change());
    spell_copies(p, s.otherwise.change());
    if (auto l = speller{p}.loop_for(s))
      s = std::move(*l);
  }
}

} // namespace kevolve::transform
