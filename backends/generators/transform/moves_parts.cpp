// Moves that take a loop apart or join two: block skipping, fission, fusion.
#include "backends/generators/transform/build.hpp"
#include "backends/generators/transform/moves.hpp"

#include <algorithm>
#include <iterator>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

// Whether the body is declarations and then one branch without an else.
bool is_guarded(const list& body) {
  if (body.empty() || body.back().kind != stmt_kind::branch || !body.back().otherwise.empty())
    return false;
  return std::all_of(body.begin(), body.end() - 1, [](const stmt& s) {
    return s.kind == stmt_kind::declare && s.has_value && !s.is_static && s.type.suffix.empty();
  });
}

// The arrays that the statements write; one without a name may be any.
std::set<std::string> arrays_written(const list& body) {
  std::set<std::string> out;
  walk_exprs(body, [&](const expr& e) {
    if ((e.kind == expr_kind::call && !is_pure_function(e.text)) || (e.kind == expr_kind::unary && e.text == "&"))
      out.insert(std::string{});
  });
  walk(body, [&](const stmt& s) {
    if ((s.kind == stmt_kind::assign || s.kind == stmt_kind::vector_store) && s.target.kind != expr_kind::name)
      out.insert(s.target.kind == expr_kind::subscript ? root_of(s.target) : std::string{});
  });
  return out;
}

// Whether evaluating it does nothing but compute and load from arrays.
bool only_computes(const expr& whole) {
  bool ok = true;
  walk(whole, [&](const expr& e) {
    const bool divides = e.kind == expr_kind::binary && (e.text == "/" || e.text == "%") && is_integer(e.type.base)
                         && literal_value(e.args[1]).value_or(0) == 0;
    const bool at_pointer = e.kind == expr_kind::unary && (e.text == "*" || e.text == "&");
    ok = ok && e.type.lanes == 1 && e.kind != expr_kind::opaque && e.kind != expr_kind::member && !divides
         && !at_pointer && (e.kind != expr_kind::call || is_pure_function(e.text))
         && (e.kind != expr_kind::subscript || !root_of(e).empty());
  });
  return ok;
}

// Why a test may not be made before the iterations that come before its own; empty: it may. Where none of those does
// anything, it sees what it would have seen; where one does, what it says is not used, but what it loads must be there.
std::string trouble_of_test(const list& body, const environment& env) {
  const auto& branch = body.back();
  const auto written = arrays_written(branch.body);
  const bool any_alias =
      std::any_of(env.task.arguments.begin(), env.task.arguments.end(), [](const auto& a) { return a.alias; });
  auto changing = assigned(branch.body); // and what follows from it
  const auto may_change = [&](const expr& whole) {
    bool found = false;
    walk(whole, [&](const expr& e) {
      found = found || (e.kind == expr_kind::name && changing.count(e.text) != 0)
              || (e.kind == expr_kind::subscript && !written.empty()
                  && (any_alias || written.count({}) != 0 || written.count(root_of(e)) != 0));
    });
    return found;
  };
  std::string out;
  for (const auto& s : body) {
    if (!only_computes(s.value))
      return "the test of " + branch.label + " does more than compute";
    walk(s.value, [&](const expr& e) {
      const bool guards =
          e.kind == expr_kind::conditional || (e.kind == expr_kind::binary && (e.text == "&&" || e.text == "||"));
      const bool loads_under = guards && std::any_of(e.args.begin() + 1, e.args.end(), [](const expr& x) {
                                 bool any = false;
                                 walk(x, [&](const expr& y) { any = any || y.kind == expr_kind::subscript; });
                                 return any;
                               });
      if ((e.kind == expr_kind::subscript && may_change(e.args[1])) || (loads_under && may_change(e.args[0])))
        out = branch.label + " may change where its test reads";
    });
    if (s.kind == stmt_kind::declare && may_change(s.value))
      changing.insert(s.name);
  }
  return out;
}

} // namespace

result<void> skip(program& p, const std::string& loop, int64_t count, const environment& env) {
  bool divided = false;
  walk(p.body, [&](const stmt& s) { divided = divided || s.label == loop + "b"; });
  if (divided)
    return fail(errc::unsupported, loop + " runs in blocks already");
  return replace(p, loop, 2, [&](const stmt& l) -> result<list> {
    if (l.lanes > 1 || !is_guarded(l.body))
      return fail(errc::unsupported, "the body of " + loop + " is not a test and what it guards");
    if (leaves_early(l.body))
      return fail(errc::unsupported, loop + " can be left early");
    if (auto why = trouble_of_test(l.body, env); !why.empty())
      return fail(errc::unsupported, why);
    auto parts = divide(l, count);
    if (!parts)
      return parts;
    auto& blocks = parts->front();
    blocks.label = loop + "b";
    blocks.name = fresh_name(p, l.name + "_block");
    blocks.pragmas.clear();
    const auto start = make_name(blocks.name, l.type);
    auto inside = l;
    inside.from = start;
    inside.to = make_binary("+", start, make_literal(blocks.step));
    inside.has_value = false;
    inside.pragmas.clear();

    const auto flag = scalar_type(scalar_kind::i32);
    const auto any = make_name(fresh_name(p, "any_" + l.body.back().label), flag);
    const auto& condition = l.body.back().value;
    const bool is_flag = condition.kind == expr_kind::binary && condition.type.base == scalar_kind::i32
                         && (condition.text == "<" || condition.text == ">" || condition.text == "<="
                             || condition.text == ">=" || condition.text == "==" || condition.text == "!=");
    auto test = inside;
    test.label = loop + "q";
    auto& tested = test.body.change();
    tested.back() = make_assign(
        any, "|=", is_flag ? condition : make_expr(expr_kind::binary, flag, {condition, make_literal(0)}, "!="));
    stmt guarded;
    guarded.kind = stmt_kind::branch;
    guarded.value = any;
    guarded.body = {std::move(inside)};
    blocks.body = {make_declare(any.text, flag, make_literal(0)), std::move(test), std::move(guarded)};
    return parts;
  });
}

result<void> fission(program& p, const std::string& loop, int64_t first_part, const environment& env) {
  const auto& facts = facts_of(env, loop);
  if (!facts.independent)
    return fail(errc::unsupported, loop + " carries a dependence: " + facts.reason);
  bool divided = false;
  walk(p.body, [&](const stmt& s) { divided = divided || s.label == loop + "d"; });
  if (divided)
    return fail(errc::unsupported, loop + " is in parts already");
  return replace(p, loop, 1, [&](const stmt& l) -> result<list> {
    const auto n = static_cast<size_t>(first_part);
    if (n >= l.body.size())
      return fail(errc::unsupported, loop + " has no " + std::to_string(n + 1) + " statements");
    std::string reason;
    auto carried = reductions(l, reason);
    if (!carried)
      return fail(errc::unsupported, reason);
    if (leaves_early(l.body))
      return fail(errc::unsupported, loop + " can be left early");
    const std::vector<stmt>& all = l.body;
    list before(all.begin(), all.begin() + static_cast<ptrdiff_t>(n));
    list after(all.begin() + static_cast<ptrdiff_t>(n), all.end());
    const auto apart = [&](const list& part, const list& other) -> result<void> {
      for (const auto& s : part)
        if (s.kind == stmt_kind::declare && mentions(other, s.name))
          return fail(errc::unsupported, "both parts of " + loop + " need " + s.name);
      const auto own = declared(part);
      for (const auto& name : assigned(part))
        if (own.count(name) == 0 && mentions(other, name))
          return fail(errc::unsupported, "both parts of " + loop + " need " + name);
      return {};
    };
    if (auto ok = apart(before, after); !ok)
      return tl::unexpected(ok.error());
    if (auto ok = apart(after, before); !ok)
      return tl::unexpected(ok.error());
    auto first = l;
    first.body = std::move(before);
    auto second = l;
    second.body = std::move(after);
    second.label = loop + "d";
    return list{std::move(first), std::move(second)};
  });
}

result<void> fuse(program& p, const std::string& first, const std::string& second, const environment& env) {
  if (base_label(first) == base_label(second))
    return fail(errc::unsupported, second + " is a part of " + first);
  for (const auto& label : {first, second})
    if (!facts_of(env, label).independent)
      return fail(errc::unsupported, label + " carries a dependence: " + facts_of(env, label).reason);
  size_t copies = 0;
  std::string reason = second + " does not follow " + first;
  auto fused = p;
  for_each_labelled(fused.body.change(), first, [&](list& where, size_t at) -> size_t {
    ++copies;
    if (at + 1 >= where.size() || where[at + 1].label != second || where[at].kind != stmt_kind::loop
        || where[at + 1].kind != stmt_kind::loop)
      return 1;
    auto a = where[at];
    auto b = where[at + 1];
    if (!same(a.from, b.from) || !same(a.to, b.to) || a.step != b.step || a.type.base != b.type.base || a.lanes > 1
        || b.lanes > 1) {
      reason = first + " and " + second + " do not run over the same range";
      return 1;
    }
    if (leaves_early(a.body) || leaves_early(b.body)) {
      reason = "one of them can be left early";
      return 1;
    }
    for (const auto& name : assigned(a.body))
      if (declared(a.body).count(name) == 0 && (mentions(b.body, name) || mentions(a.to, name))) {
        reason = second + " needs what " + first + " makes of " + name;
        return 1;
      }
    for (const auto& name : assigned(b.body))
      if (declared(b.body).count(name) == 0 && mentions(a.body, name)) {
        reason = first + " needs " + name + " before " + second + " changes it";
        return 1;
      }
    std::map<std::string, std::string> names;
    for (const auto& name : declared(b.body))
      if (declared(a.body).count(name) != 0 || name == a.name)
        names.emplace(name, fresh_name(fused, name));
    rename(b.body.change(), names);
    if (b.name != a.name) {
      if (mentions(b.body, a.name)) { // another variable of that name
        reason = second + " needs another " + a.name;
        return 1;
      }
      rename(b.body.change(), b.name, a.name);
    }
    auto rest = b.body.take();
    auto& body = a.body.change();
    std::move(rest.begin(), rest.end(), std::back_inserter(body));
    a.pragmas.clear();
    a.has_value = false;
    where[at] = std::move(a);
    where.erase(where.begin() + static_cast<ptrdiff_t>(at) + 1);
    reason.clear();
    return 1;
  });
  if (!reason.empty())
    return fail(errc::unsupported, reason);
  if (copies != 1)
    return fail(errc::unsupported, first + " stands in several places");
  // No iteration of both together may touch what another one writes.
  const auto facts = analyse(fused, env.task);
  const auto it = facts.find(first);
  if (it == facts.end() || !it->second.independent)
    return fail(errc::unsupported,
                "together they would carry a dependence" + (it == facts.end() ? "" : ": " + it->second.reason));
  p = std::move(fused);
  return {};
}

} // namespace kevolve::transform
