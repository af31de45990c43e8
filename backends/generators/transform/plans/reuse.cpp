#include "backends/generators/transform/plans/reuse.hpp"

#include "backends/generators/transform/analysis/effects.hpp"
#include "backends/generators/transform/analysis/profit.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/plans/plan_parts.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace kevolve::transform {

bool updates_fixed_element(const stmt& loop) {
  bool found = false;
  walk(loop.body, [&](const stmt& s) {
    found = found
            || (s.kind == stmt_kind::assign && s.target.kind == expr_kind::subscript && !mentions(s.target, loop.name));
  });
  return found;
}

scalar_kind kept_in(const stmt& loop, scalar_kind element) {
  walk(loop.body, [&](const stmt& s) {
    if (s.kind == stmt_kind::assign && s.target.type.depth == 0 && bits(s.target.type.base) > bits(element))
      element = s.target.type.base;
  });
  return element;
}

std::vector<reuse> reuses(const program& p, const environment& env) {
  std::vector<reuse> out;
  const auto inside = [](const stmt& loop, const std::function<void(const stmt&)>& f) {
    walk(loop.body, [&](const stmt& s) {
      if (s.kind == stmt_kind::loop && !s.label.is(loop_role::unpacked))
        f(s);
    });
  };
  const auto look = [&](const stmt& outer, const stmt& middle, const stmt& inner) {
    auto seen = arrays_written(middle.body); // these change
    walk_exprs(inner.body, [&](const expr& e) {
      if (e.kind != expr_kind::subscript || root_of(e).empty() || mentions(e, outer.name) || !mentions(e, middle.name)
          || !mentions(e, inner.name) || !seen.insert(root_of(e)).second)
        return;
      out.push_back({&outer, &middle, &inner, root_of(e), kept_in(inner, e.type.base), stride(e, middle.name) == 1});
    });
  };
  walk(p.body, [&](const stmt& outer) {
    if (outer.kind != stmt_kind::loop || outer.label.is(loop_role::unpacked))
      return;
    inside(outer, [&](const stmt& middle) {
      if (facts_of(env, middle.label).independent)
        inside(middle, [&](const stmt& inner) { look(outer, middle, inner); });
    });
  });
  return out;
}

bool is_alone(const reuse& r, const environment& env) {
  return r.outer->body.size() == 1 && &r.outer->body[0] == r.middle && facts_of(env, r.outer->label).independent;
}

genome block(const reuse& r, int64_t lanes, int64_t vectors, int64_t rows, const environment& env, bool tiled) {
  const auto number = [](int64_t n) { return std::to_string(n); };
  const auto& outer = r.outer->label;
  const auto& middle = r.middle->label;
  genome out;
  if (tiled && is_alone(r, env)) {
    out.push_back(made(moves::tile, {middle, number(lanes * vectors)}));
    out.push_back(made(moves::interchange, {outer, middle.with(loop_role::tiles)}));
  }
  if (tiled || !r.straight)
    out.push_back(made(moves::pack, {outer, r.array, middle}));
  if (updates_fixed_element(*r.inner))
    out.push_back(made(moves::scalar_replace, {r.inner->label}));
  out.push_back(made(moves::vectorise, {middle, number(lanes)}));
  out.push_back(made(moves::mask, {middle}));
  out.push_back(made(moves::jam, {middle, number(vectors)}));
  // Statements stand in the order of the last jam. A row's one value has a register only while its vectors pass, if it
  // is no operand that its instruction broadcasts, as in AVX-512.
  if (rows > 1)
    out.insert(vector_bits(env) >= 512 ? out.end() : out.end() - 1, made(moves::jam, {outer, number(rows)}));
  return out;
}

bool is_summed_over(const stmt& loop) {
  bool chooses = false;
  walk(loop.body, [&](const stmt& s) {
    chooses =
        chooses
        || (s.kind == stmt_kind::assign && s.target.kind == expr_kind::subscript && mentions(s.target, loop.name));
  });
  return !chooses;
}

bool leads_to(const stmt& outer, const stmt& middle) {
  if (&outer == &middle)
    return true;
  const auto& body = outer.body;
  const bool loops = !body.empty() && std::all_of(body.begin(), body.end(), [&](const stmt& s) { // one, or its parts
    return s.kind == stmt_kind::loop && s.label.base() == body.front().label.base();
  });
  return loops && std::any_of(body.begin(), body.end(), [&](const stmt& s) { return leads_to(s, middle); });
}

bool is_dot(const reuse& r) {
  bool along = true;
  walk_exprs(r.inner->body, [&](const expr& e) {
    along = along && (e.kind != expr_kind::subscript || stride(e, r.inner->name) == 1);
  });
  return along && !r.straight && r.middle->body.size() == 3 && &r.middle->body[1] == r.inner && is_summed_over(*r.inner)
         && !is_summed_over(*r.middle);
}

genome dots(const reuse& r, int64_t lanes, int64_t columns, int64_t rows) {
  return {made(moves::vectorise, {r.inner->label, std::to_string(lanes)}), made(moves::mask, {r.inner->label}),
          made(moves::jam, {r.middle->label, std::to_string(columns)}),
          made(moves::jam, {r.outer->label, std::to_string(rows)})};
}

} // namespace kevolve::transform
