#include "backends/generators/transform/moves/factors.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <utility>

namespace kevolve::transform {

namespace {

void collect(const expr& e, const std::function<bool(const expr&)>& whole, std::vector<expr>& out) {
  const auto& x = bare(e);
  if (!is_product(x) || x.type.base != e.type.base || (whole && whole(x))) {
    out.push_back(e);
    return;
  }
  for (const auto& a : x.args)
    collect(a, whole, out);
}

} // namespace

bool is_product(const expr& e) {
  if (e.kind != expr_kind::binary || e.text != "*" || !is_float(e.type.base) || e.type.lanes > 1)
    return false;
  return e.args[0].type.base == e.type.base && e.args[1].type.base == e.type.base;
}

std::vector<expr> factors_of(const expr& e, const std::function<bool(const expr&)>& whole) {
  std::vector<expr> out;
  collect(e, whole, out);
  return out;
}

expr product_of(const std::vector<expr>& factors, const ctype& type) {
  auto out = factors.front();
  for (size_t i = 1; i < factors.size(); ++i)
    out = make_expr(expr_kind::binary, scalar_type(type.base), {std::move(out), factors[i]}, "*");
  return out;
}

std::set<std::string> changed_in(const stmt& loop) {
  auto out = assigned(loop.body);
  out.merge(declared(loop.body));
  out.insert(loop.name);
  return out;
}

bool stays_in(const expr& e, const std::set<std::string>& changed) {
  bool ok = is_speculable(e) && e.type.lanes == 1;
  walk(e, [&](const expr& x) {
    const bool at_pointer = x.kind == expr_kind::unary && (x.text == "*" || x.text == "&");
    ok = ok && !at_pointer && (x.kind != expr_kind::name || changed.count(x.text) == 0);
  });
  return ok;
}

bool is_vectorised(const stmt& loop) {
  bool out = loop.lanes > 1;
  walk(loop.body, [&](const stmt& s) { out = out || s.lanes > 1 || s.kind == stmt_kind::vector_store; });
  return out;
}

} // namespace kevolve::transform
