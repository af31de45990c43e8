#include "backends/generators/transform/analysis/polynomial.hpp"
#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/moves.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

bool only_assigns_scalars(const list& arm) {
  std::set<std::string> before;
  for (const auto& s : arm) {
    if (s.kind != stmt_kind::assign || s.target.kind != expr_kind::name || s.target.type.depth != 0
        || !is_speculable(s.value) || (is_integer(s.target.type.base) && is_float(bare(s.value).type.base)))
      return false;
    for (const auto& name : before)
      if (mentions(s.value, name))
        return false;
    before.insert(s.target.text);
  }
  return true;
}

expr as_value(const stmt& s) {
  if (s.op == "=")
    return s.value;
  return make_expr(expr_kind::binary, s.target.type, {s.target, s.value}, s.op.substr(0, s.op.size() - 1));
}

} // namespace

result<void> select(program& p, const std::string& branch) {
  bool done = false;
  std::string reason = "no branch " + branch;
  for_each_labelled(p.body.change(), branch, [&](list& where, size_t at) -> size_t {
    const auto b = where[at];
    if (b.kind != stmt_kind::branch || !only_assigns_scalars(b.body) || !only_assigns_scalars(b.otherwise)) {
      reason = branch + " does more than set scalars to harmless values";
      return 1;
    }
    std::vector<std::string> order;
    std::map<std::string, std::pair<std::optional<expr>, std::optional<expr>>> values;
    std::map<std::string, expr> targets;
    auto note = [&](const stmt& s, bool yes) {
      const auto& name = s.target.text;
      if (targets.emplace(name, s.target).second)
        order.push_back(name);
      auto& v = values[name];
      (yes ? v.first : v.second) = as_value(s);
    };
    for (const auto& s : b.body)
      note(s, true);
    for (const auto& s : b.otherwise)
      note(s, false);
    // A value that an earlier select has already changed would be read too late.
    for (size_t i = 0; i < order.size(); ++i)
      for (size_t j = i + 1; j < order.size(); ++j)
        for (const auto& v : {values[order[j]].first, values[order[j]].second})
          if (v && mentions(*v, order[i])) {
            reason = branch + " sets scalars that depend on each other";
            return 1;
          }
    list out;
    auto type = scalar_type(scalar_kind::i32);
    auto take = make_name(fresh_name(p, "take_" + branch), type);
    // Without the hint clang turns selects on loaded values back into branches.
    auto is_set = make_expr(expr_kind::binary, type, {b.value, make_literal(0)}, "!=");
    bool comparison = b.value.kind == expr_kind::binary && b.value.type.base == scalar_kind::i32;
    out.push_back(make_declare(
        take.text, type, make_expr(expr_kind::call, type, {comparison ? b.value : is_set}, "__builtin_unpredictable")));
    for (const auto& name : order) {
      auto& v = values[name];
      auto target = targets.at(name);
      out.push_back(make_assign(
          target, "=",
          make_expr(expr_kind::conditional, target.type, {take, v.first.value_or(target), v.second.value_or(target)})));
    }
    auto n = out.size();
    where.erase(where.begin() + static_cast<ptrdiff_t>(at));
    where.insert(where.begin() + static_cast<ptrdiff_t>(at), std::make_move_iterator(out.begin()),
                 std::make_move_iterator(out.end()));
    done = true;
    return n;
  });
  if (!done)
    return fail(errc::unsupported, reason);
  return {};
}

namespace {

// Whether the element is touched outside branches, whiles and what expressions guard.
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

// Every subscript of `array` in the list is the same element.
bool one_element(const list& body, const std::string& array, const expr& element) {
  bool ok = true;
  walk_exprs(body, [&](const expr& e) {
    if (e.kind == expr_kind::subscript && root_of(e) == array)
      ok = ok && same(e, element);
    if (e.kind == expr_kind::opaque || (e.kind == expr_kind::call && !is_pure_call(e)))
      ok = false;
  });
  walk(body, [&](const stmt& s) { ok = ok && s.kind != stmt_kind::opaque && s.kind != stmt_kind::give_back; });
  return ok;
}

} // namespace

result<void> hold(program& p, const std::string& loop, const environment& env) {
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

namespace {

// Divisions by a variable that a loop leaves alone become products with its inverse, taken once before the loop.
class inverses {
public:
  explicit inverses(program& p) : p_(p) {}

  bool run(list& body) {
    for (size_t i = 0; i < body.size(); ++i) {
      list before;
      if (body[i].kind == stmt_kind::loop && arrays_written(body[i].body).count({}) == 0 && !holds_opaque(body[i].body))
        run(body[i], before);
      body.insert(body.begin() + static_cast<ptrdiff_t>(i), before.begin(), before.end());
      i += before.size();
      for (auto* inner : {&body[i].body, &body[i].otherwise})
        if (!inner->empty())
          run(inner->change());
    }
    return done_;
  }

private:
  void run(stmt& loop, list& before) {
    auto changed = assigned(loop.body);
    changed.merge(declared(loop.body));
    changed.insert(loop.name);
    std::map<std::string, expr> known;
    rewrite_exprs(loop.body.change(), [&](expr& e) {
      if (e.kind != expr_kind::binary || e.text != "/" || !is_float(e.type.base))
        return;
      const bool splat = e.args[1].kind == expr_kind::splat;
      const auto& by = bare(splat ? e.args[1].args[0] : e.args[1]);
      if (by.kind != expr_kind::name || by.type.lanes > 1 || by.type.base != e.type.base || changed.count(by.text) != 0)
        return;
      auto it = known.find(by.text);
      if (it == known.end()) {
        auto type = scalar_type(by.type.base);
        type.is_const = true;
        const auto name = make_name(fresh_name(p_, by.text + "_inverse"), type);
        auto one = make_literal(1, by.type.base);
        before.push_back(make_declare(name.text, type, make_expr(expr_kind::binary, type, {std::move(one), by}, "/")));
        it = known.emplace(by.text, name).first;
      }
      auto factor = splat ? make_expr(expr_kind::splat, e.args[1].type, {it->second}) : it->second;
      e = make_expr(expr_kind::binary, e.type, {e.args[0], std::move(factor)}, "*");
      done_ = true;
    });
  }

  program& p_;
  bool done_ = false;
};

// What all lanes are divided by becomes a factor: one division for all vectors that are divided by it.
bool multiply_lanes(list& body) {
  bool done = false;
  rewrite_exprs(body, [&](expr& e) {
    if (e.kind != expr_kind::binary || e.text != "/" || !is_float(e.type.base) || e.args[1].kind != expr_kind::splat)
      return;
    const auto by = e.args[1].args[0];
    if (bare(by).kind == expr_kind::literal || by.type.lanes > 1 || by.type.base != e.type.base)
      return;
    const auto type = scalar_type(by.type.base);
    auto inverse = make_expr(expr_kind::binary, type, {make_literal(1, by.type.base), by}, "/");
    e = make_expr(expr_kind::binary, e.type,
                  {e.args[0], make_expr(expr_kind::splat, e.args[1].type, {std::move(inverse)})}, "*");
    done = true;
  });
  return done;
}

} // namespace

bool divides_by_fixed(const program& p) {
  auto q = p;
  return inverses{q}.run(q.body.change()) || multiply_lanes(q.body.change());
}

result<void> fast_math(program& p, const environment& env) {
  const auto& arguments = env.task.arguments;
  const bool whole_numbers_alone = std::none_of(arguments.begin(), arguments.end(), [](const auto& a) {
    return (a.role == argument_role::output || a.role == argument_role::inout) && is_floating(a.type);
  });
  if (!may_reassociate(env, scalar_kind::f32) || whole_numbers_alone)
    return fail(errc::unsupported, "the result must be exact");
  bool done = inverses{p}.run(p.body.change());
  done = multiply_lanes(p.body.change()) || done;
  rewrite_exprs(p.body.change(), [&](expr& e) {
    if (e.kind != expr_kind::call || e.text != "expf" || e.computes || e.args.size() != 1)
      return;
    e.kind = expr_kind::elementwise;
    e.text = "exp";
    done = true;
  });
  if (!done)
    return fail(errc::unsupported, "no call that has a faster form");
  return {};
}

} // namespace kevolve::transform
