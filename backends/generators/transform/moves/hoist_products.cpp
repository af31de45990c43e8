// hoist_products(L): loop-invariant code motion past the order of a product. Factors that L leaves alone are multiplied
// with each other once, before L.
#include "backends/generators/transform/analysis/effects.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/factors.hpp"
#include "backends/generators/transform/moves/rewriting.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

// Parts the factors of a product into those that the loop leaves alone and the others; false: two of the former do not
// stand apart from each other.
bool part(const expr& e, const std::set<std::string>& changed, std::vector<expr>& fixed, std::vector<expr>& others) {
  if (!is_product(e))
    return false;
  for (const auto& f : factors_of(e, [&](const expr& x) { return stays_in(x, changed); }))
    (stays_in(f, changed) ? fixed : others).push_back(f);
  return fixed.size() > 1 && !others.empty();
}

// Rewrites the loop's products; returns the declarations of what is computed before it.
list hoist(program& p, stmt& loop) {
  const auto changed = changed_in(loop);
  std::map<std::string, expr> known;
  list out;
  rewrite_exprs(loop.body.change(), [&](expr& e) {
    std::vector<expr> fixed;
    std::vector<expr> others;
    if (!part(e, changed, fixed, others))
      return;
    const auto value = product_of(fixed, e.type);
    auto type = scalar_type(e.type.base);
    auto it = known.find(print(value));
    if (it == known.end()) {
      type.is_const = true;
      const auto name = make_name(fresh_name(p, "product"), type);
      out.push_back(make_declare(name.text, type, value));
      it = known.emplace(print(value), name).first;
    }
    others.insert(others.begin(), it->second);
    e = product_of(others, e.type);
  });
  return out;
}

bool may_hoist(const stmt& loop) {
  const auto changed = changed_in(loop);
  bool found = false;
  walk_exprs(loop.body, [&](const expr& e) {
    std::vector<expr> fixed;
    std::vector<expr> others;
    found = found || part(e, changed, fixed, others);
  });
  return found && !is_vectorised(loop) && !holds_opaque(loop.body) && arrays_written(loop.body).count({}) == 0;
}

result<void> hoist_products(program& p, const loop_label& label, const environment& env) {
  return reassociate_in(p, label, env, [&](program& changed, const stmt& l) -> result<list> {
    auto loop = l;
    auto out = hoist(changed, loop);
    if (out.empty())
      return fail(errc::unsupported, label + " multiplies nothing by two factors that it leaves alone");
    out.push_back(std::move(loop));
    return out;
  });
}

} // namespace

constinit const move_descriptor moves::hoist_products{
    .name = "hoist_products",
    .takes = {a_loop},
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::hoist_products(p, a.label(0), env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          if (may_hoist(at.here))
            out.add(0.4 * at.loop->interest, {at.here.label});
        },
};

} // namespace kevolve::transform
