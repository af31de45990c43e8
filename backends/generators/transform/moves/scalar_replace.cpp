// scalar_replace(L): scalar replacement. An element that every iteration of L updates lives in a local during the loop.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/analysis/polynomial.hpp"
#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

// Returns true if the element is touched outside branches, whiles and what expressions guard.
bool touched_always(const list& body, const expr& element) {
  bool found = false;
  const std::function<void(const expr&)> look = [&](const expr& e) {
    found = found || (e.kind == expr_kind::subscript && same(e, element));
    const bool guards =
        e.kind == expr_kind::conditional || (e.kind == expr_kind::binary && (e.text == "&&" || e.text == "||"));
    for (size_t i = 0; i < (guards ? 1 : e.args.size()); ++i)
      look(e.args[i]);
  };
  for (const auto& s : body) {
    for_each_expr(s, look);
    found = found || ((s.kind == stmt_kind::loop || s.kind == stmt_kind::block) && touched_always(s.body, element));
  }
  return found;
}

// Returns true if every subscript of `array` in the list is the same element.
bool one_element(const list& body, const std::string& array, const expr& element) {
  bool ok = true;
  walk_exprs(body, [&](const expr& e) {
    if (e.kind == expr_kind::subscript && root_of(e) == array)
      ok = ok && same(e, element);
    if (e.kind == expr_kind::opaque || (e.kind == expr_kind::call && !is_pure_call(e)))
      ok = false;
  });
  walk(body, [&](const stmt& s) { ok = ok && s.kind != stmt_kind::opaque && s.kind != stmt_kind::return_value; });
  return ok;
}

result<void> scalar_replace(program& p, const loop_label& loop, const environment& env) {
  bool done = false;
  std::string reason = loop + " updates no element that stays the same";
  std::map<std::string, std::optional<int64_t>> starts;
  walk(p.body, [&](const stmt& s) {
    if (s.kind == stmt_kind::loop)
      starts[s.name] = s.from.kind == expr_kind::minimum ? std::nullopt : literal_value(s.from);
    if (s.kind == stmt_kind::loop && !starts[s.name] && s.from.kind == expr_kind::name
        && starts.count(s.from.text) != 0)
      starts[s.name] = starts[s.from.text]; // of a tile
  });
  const auto least = [&](const std::string& name) -> std::optional<int64_t> {
    if (const auto* a = find_argument(env.task, name); a != nullptr && a->role == argument_role::size)
      return 0;
    const auto it = starts.find(name);
    return it == starts.end() ? std::nullopt : it->second;
  };
  // A loop that never runs may have no such element: y[n - 1] where n is 0.
  const auto is_there = [&](const stmt& l, const expr& index) {
    const auto from = literal_value(l.from);
    const auto to = literal_value(l.to);
    const auto place = to_polynomial(index);
    return (from && to && *from < *to) || (place && place->never_negative(least));
  };
  for_each_labelled(p.body.change(), loop, [&](list& where, size_t at) -> size_t {
    auto l = where[at];
    if (l.kind != stmt_kind::loop || l.lanes > 1)
      return 1;
    std::vector<expr> elements;
    std::vector<expr> absent;
    auto inside = declared(l.body);
    inside.insert(l.name);
    auto changed = assigned(l.body);
    walk(l.body, [&](const stmt& s) {
      if (s.kind != stmt_kind::assign || s.target.kind != expr_kind::subscript)
        return;
      bool fixed = is_speculable(s.target.args[1]) && s.target.args[0].kind == expr_kind::name;
      walk(s.target.args[1], [&](const expr& e) {
        fixed = fixed && (e.kind != expr_kind::name || (inside.count(e.text) == 0 && changed.count(e.text) == 0));
      });
      bool known = std::any_of(elements.begin(), elements.end(), [&](const expr& e) { return same(e, s.target); });
      // A load before the loop that the loop would not do must not be new: only arrays the task lets us write.
      if (fixed && !known && one_element(l.body, root_of(s.target), s.target) && touched_always(l.body, s.target))
        (is_there(l, s.target.args[1]) ? elements : absent).push_back(s.target);
    });
    if (elements.empty() && !absent.empty())
      reason = print(absent[0]) + " may not be there if " + loop + " never runs";
    for (const auto& e : elements) {
      const auto* a = find_argument(env.task, root_of(e));
      bool own_array = !e.args[0].type.suffix.empty() && inside.count(root_of(e)) == 0;
      bool alone = changed.count(root_of(e)) == 0 && (a != nullptr ? !a->alias : own_array);
      if (!alone)
        continue;
      auto type = scalar_type(e.type.base);
      type.text = e.type.text;
      auto local = make_name(fresh_name(p, root_of(e) + "_held"), type);
      rewrite_exprs(l.body.change(), [&](expr& x) {
        if (x.kind == expr_kind::subscript && same(x, e))
          x = local;
      });
      auto before = make_declare(local.text, type, e);
      auto after = make_assign(e, "=", local);
      where[at] = l;
      where.insert(where.begin() + static_cast<ptrdiff_t>(at) + 1, after);
      where.insert(where.begin() + static_cast<ptrdiff_t>(at), before);
      done = true;
      return 3; // one element a move; the next one takes the next
    }
    return 1;
  });
  if (!done)
    return fail(errc::unsupported, reason);
  return {};
}

} // namespace

constinit const move_descriptor moves::scalar_replace{
    .name = "scalar_replace",
    .former_name = "hold",
    .takes = {a_loop},
    .goes_by_arrays = true,
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::scalar_replace(p, a.label(0), env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          const auto& s = at.here;
          if (!at.loop->is_innermost || s.lanes != 1 || !s.pragmas.empty())
            return;
          bool updates = false;
          walk(s.body, [&](const stmt& x) {
            updates = updates
                      || (x.kind == stmt_kind::assign && x.target.kind == expr_kind::subscript
                          && !mentions(x.target.args[1], s.name));
          });
          if (updates)
            out.add(1.0 * at.loop->interest, {s.label});
        },
};

} // namespace kevolve::transform
