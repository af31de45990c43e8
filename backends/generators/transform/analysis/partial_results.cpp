#include "backends/generators/transform/analysis/partial_results.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

} // namespace

expr reduction_start(const reduction& r) {
  // x max x = x: any operation but these two may start from the value so far.
  if (r.op != "add" && r.op != "mul")
    return make_name(r.name, r.type);
  auto scalar = r.type;
  scalar.lanes = 1;
  auto value = make_literal(r.op == "add" ? 0 : 1, scalar.base);
  if (r.type.lanes == 1)
    return value;
  return make_expr(expr_kind::splat, r.type, {value});
}

stmt reduction_join(const reduction& r, expr part) {
  auto total = make_name(r.name, r.type);
  auto compound = [&](const char* op) { return make_assign(total, op, std::move(part)); };
  if (r.op == "add")
    return compound("+=");
  if (r.op == "mul")
    return compound("*=");
  if (r.op == "and")
    return compound("&=");
  if (r.op == "or")
    return compound("|=");
  if (r.op == "xor")
    return compound("^=");
  auto condition_type = r.type.lanes > 1 ? r.type : scalar_type(scalar_kind::i32);
  if (r.type.lanes > 1) {
    condition_type.base = mask_kind(r.type.base);
    condition_type.is_mask = true;
  }
  auto better = make_expr(expr_kind::binary, condition_type, {total, part}, r.op == "max" ? ">" : "<");
  auto kind = r.type.lanes > 1 ? expr_kind::blend : expr_kind::conditional;
  return make_assign(total, "=", make_expr(kind, r.type, {better, total, part}));
}

void sum_unsigned(stmt& l, std::vector<reduction>& sums) {
  for (auto& r : sums) {
    const auto k = r.type.base;
    if (!is_integer(k) || is_unsigned(k) || k == scalar_kind::boolean || r.type.lanes > 1
        || (r.op != "add" && r.op != "mul"))
      continue;
    r.type = scalar_type(unsigned_kind(k));
    list one{std::move(l)};
    rewrite(one, [&](stmt& s) {
      if (s.kind != stmt_kind::assign || s.target.kind != expr_kind::name || s.target.text != r.name)
        return;
      if (s.op == "=") { // s = s + x, s = x + s
        const auto sum = bare(s.value);
        const bool first = bare(sum.args[0]).kind == expr_kind::name && bare(sum.args[0]).text == r.name;
        s.op = sum.text + "=";
        s.value = sum.args[first ? 1 : 0];
      }
      s.target.type = r.type;
      s.value = make_expr(expr_kind::cast, scalar_type(r.type.base), {std::move(s.value)});
    });
    l = std::move(one[0]);
  }
}

} // namespace kevolve::transform
