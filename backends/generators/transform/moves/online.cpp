// online(A, B, n): streaming reductions, as in online softmax. Sums of exp(f - m), m being the maximum of f, are taken
// in the pass that looks for the maximum.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/effects.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/analysis/polynomial.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/parameters.hpp"
#include "backends/generators/transform/moves/scaled_sums.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

const std::vector<int64_t> block_sizes{64, 128, 256, 512, 1024};

// m = max(m, value), in every iteration of a loop that carries nothing else.
struct running_maximum {
  expr name;
  expr value;
  size_t place = 0; // in the loop's body
};

std::optional<running_maximum> maximum_of(const stmt& l, std::string& reason) {
  const auto carried = reductions(l, reason);
  if (!carried)
    return {};
  if (carried->size() != 1 || carried->front().op != "max") {
    reason = l.label + " carries something else than one maximum";
    return {};
  }
  const auto& r = carried->front();
  if ((r.type.base != scalar_kind::f32 && r.type.base != scalar_kind::f64) || r.type.lanes > 1) {
    reason = r.name + " is no floating scalar";
    return {};
  }
  std::optional<running_maximum> found;
  size_t updates = 0;
  walk(l.body, [&](const stmt& s) { updates += reduction_op(s, r.name) ? 1U : 0U; });
  for (size_t i = 0; i < l.body.size(); ++i)
    if (reduction_op(l.body[i], r.name) && bare(l.body[i].value).type.base == r.type.base) { // nothing is rounded
      const auto& v = bare(l.body[i].value);
      const auto& pair = v.kind == expr_kind::conditional ? bare(v.args[0]) : v;
      const bool first = bare(pair.args[0]).kind == expr_kind::name && bare(pair.args[0]).text == r.name;
      found = {make_name(r.name, r.type), pair.args[first ? 1 : 0], i};
    }
  if (!found || updates != 1) {
    reason = l.label + " does not take every value as it is into " + r.name + ", in one place";
    return {};
  }
  found->name.type.is_const = false;
  return found;
}

// Returns the value that the name is given for good before where[at], by statements of the list that change nothing
// else.
const expr* start_of(const list& where, size_t at, const std::string& name) {
  const expr* value = nullptr;
  std::set<std::string> since;
  for (size_t i = at; i-- > 0 && value == nullptr;) {
    const auto& s = where[i];
    const bool declares = s.kind == stmt_kind::declare;
    if ((!declares && (s.kind != stmt_kind::assign || s.target.kind != expr_kind::name))
        || ((!declares || s.has_value) && !only_computes(s.value)))
      return nullptr;
    const auto& given = declares ? s.name : s.target.text;
    if (given != name)
      since.insert(given);
    else if ((declares && s.has_value) || (!declares && s.op == "="))
      value = &s.value;
    else
      return nullptr;
  }
  for (const auto& n : since)
    if (value != nullptr && mentions(*value, n))
      return nullptr;
  return value;
}

// Both loops as the move sees them, and what it has found out.
struct streamed {
  stmt largest;
  stmt sums;
  list between;
  running_maximum m;
  scaled_sums terms;
};

bool loads_from(const expr& whole, const std::set<std::string>& arrays) {
  bool found = false;
  walk(whole,
       [&](const expr& e) { found = found || (e.kind == expr_kind::subscript && arrays.count(root_of(e)) != 0); });
  return found;
}

// Returns why the statements between the two loops may not run before both; empty: they may.
std::string why_not_earlier(const program& p, const streamed& s, const environment& env) {
  if (leaves_early(s.between))
    return "what stands between can end it all";
  if (mentions(s.between, s.m.name.text))
    return s.m.name.text + " is used between them";
  stmt from;
  from.kind = stmt_kind::evaluate;
  from.value = s.sums.from;
  const list early{s.largest, from};
  auto late = s.between; // what ran after the first loop
  late.push_back(from);
  auto changed = assigned(s.between);
  const auto own = declared(s.between);
  changed.insert(own.begin(), own.end());
  for (const auto& n : changed)
    if (mentions(early, n))
      return s.largest.label + " needs " + n + " as it was before";
  const auto kept = [&](const std::set<std::string>& written, const list& by_others) {
    return std::all_of(written.begin(), written.end(),
                       [&](const std::string& w) { return keeps_apart(p, w, env) && !mentions(by_others, w); });
  };
  const auto here = arrays_written(s.between);
  if (!kept(here, early) || !kept(arrays_written(s.largest.body), late))
    return "what stands between meets " + s.largest.label + " in memory";
  bool apart = true; // no load may meet what is written by the other side under another name
  const auto check = [&](const list& body, bool matters) {
    walk_exprs(body, [&](const expr& e) {
      if (matters && e.kind == expr_kind::subscript)
        apart = apart && keeps_apart(p, root_of(e), env);
    });
  };
  check(early, !here.empty());
  check(late, !arrays_written(s.largest.body).empty());
  return apart ? std::string{} : "what stands between may meet " + s.largest.label + " in memory";
}

// Returns why the summed values may differ from those whose maximum is m; empty: they are the same. With g above the
// maximum so far, exp(g - m) could overflow where it does not with the last m.
std::string why_others(const streamed& s) {
  const auto& a = s.largest.body;
  const auto f = with_locals(s.m.value, a, s.m.place);
  const auto k = bare(f).type.base;
  if (!only_computes(f) || (is_float(k) && bits(k) > bits(s.m.name.type.base)))
    return "what " + s.largest.label + " takes the maximum of cannot be computed again";
  const auto written = arrays_written(s.sums.body);
  const list later(a.begin() + static_cast<ptrdiff_t>(s.m.place), a.end());
  // An element that was loaded into a local may have been overwritten since.
  const bool stale = same(f, s.m.value) ? loads_from(f, arrays_written(later)) : loads_from(f, arrays_written(a));
  if (stale || loads_from(f, written))
    return "what " + s.m.name.text + " is the maximum of is overwritten";
  auto changed = assigned(a);
  for (const auto& names : {declared(a), assigned(s.sums.body), declared(s.sums.body)})
    changed.insert(names.begin(), names.end());
  for (const auto& n : changed)
    if (mentions(f, n))
      return n + ", of which " + s.m.name.text + " is the maximum, is not known afterwards";
  for (const auto& g : s.terms.exponents)
    if (!equal(with_locals(g, s.sums.body, s.sums.body.size()), f))
      return s.sums.label + " takes " + s.m.name.text + " from other values than those it is the maximum of";
  return {};
}

// Returns why the loops' iterations may not alternate; empty: they may. The rules are those of `fuse`, except for the
// sums in arrays, which nothing else touches.
std::string why_not_alternating(const program& p, size_t at, size_t to, const streamed& s, const environment& env) {
  auto probe = p;
  auto first = s.largest;
  auto second = s.sums.body;
  rewrite(second.change(), [&](stmt& x) {
    if (x.kind == stmt_kind::assign && x.target.kind == expr_kind::subscript)
      for (const auto& e : s.terms.elements)
        if (root_of(x.target) == root_of(e.target)) {
          x.kind = stmt_kind::evaluate;
          break;
        }
  });
  first.from = s.sums.from;
  auto& body = first.body.change();
  body.insert(body.end(), second.begin(), second.end());
  for_each_labelled(probe.body.change(), s.largest.label, [&](list& where, size_t) -> size_t {
    where.erase(where.begin() + static_cast<ptrdiff_t>(at), where.begin() + static_cast<ptrdiff_t>(to) + 1);
    where.insert(where.begin() + static_cast<ptrdiff_t>(at), first);
    where.insert(where.begin() + static_cast<ptrdiff_t>(at), s.between.begin(), s.between.end());
    return s.between.size() + 1;
  });
  const auto facts = analyse(probe, env.task);
  const auto it = facts.find(s.largest.label);
  if (it == facts.end() || !it->second.independent)
    return "together they would carry a dependence" + (it == facts.end() ? "" : ": " + it->second.reason);
  return {};
}

// Returns the loops and facts that the move relies on, or the reason why it does not apply.
result<streamed> look(const program& p, const list& where, size_t at, size_t to, const environment& env) {
  streamed s{where[at], where[to], {}, {}, {}};
  auto& a = s.largest;
  auto& b = s.sums;
  s.between = list(where.begin() + static_cast<ptrdiff_t>(at) + 1, where.begin() + static_cast<ptrdiff_t>(to));
  const auto no = [](std::string why) { return fail(errc::unsupported, std::move(why)); };
  if (a.lanes > 1 || b.lanes > 1 || a.step != 1 || b.step != 1 || a.type.base != b.type.base || bits(b.type.base) < 32
      || !same(a.to, b.to) || a.to.kind == expr_kind::minimum)
    return no(a.label + " and " + b.label + " do not run over the same range, one by one");
  if (leaves_early(a.body) || leaves_early(b.body))
    return no("one of them can be left early");
  std::string reason;
  const auto m = maximum_of(a, reason);
  if (!m)
    return no(reason);
  s.m = *m;
  if (!may_reassociate(env, m->name.type.base))
    return no("the result must be exact, and the sums would be scaled on the way");
  if (a.name != b.name && mentions(b.body, a.name))
    return no(b.label + " needs another " + a.name);
  rename(b.body.change(), b.name, a.name);
  b.name = a.name;
  auto terms = scaled_sums_of(b, m->name);
  if (!terms)
    return tl::unexpected(terms.error());
  s.terms = std::move(*terms);
  const auto outer = [](const stmt& l) {
    auto out = assigned(l.body);
    for (const auto& n : declared(l.body))
      out.erase(n);
    return out;
  };
  for (const auto& n : outer(b))
    if (mentions(a, n))
      return no(a.label + " needs " + n + " before " + b.label + " changes it");
  if (mentions(b.from, m->name.text) || mentions(b.to, m->name.text))
    return no("the range of " + b.label + " depends on " + m->name.text);
  for (auto why : {why_not_earlier(p, s, env), why_others(s),
                   why_not_zero(p, list(where.begin(), where.begin() + static_cast<ptrdiff_t>(to)), s.terms, env),
                   why_not_alternating(p, at, to, s, env)})
    if (!why.empty())
      return no(std::move(why));
  if (!same(a.from, b.from)) {
    // One value ahead: m begins as the first of them, which may be taken once more.
    const auto ahead = to_polynomial(a.from);
    const auto begin = to_polynomial(b.from);
    const auto* start = start_of(where, at, m->name.text);
    auto first = with_locals(m->value, a.body, m->place);
    substitute(first, a.name, b.from);
    if (!ahead || !begin || !(*ahead - *begin == polynomial{1}) || start == nullptr || !equal(*start, first)
        || !arrays_written(a.body).empty())
      return no(a.label + " and " + b.label + " do not run over the same range, one by one");
    a.from = b.from;
  }
  return s;
}

// Puts both loops in one pass over blocks of `count`.
list in_blocks(program& p, const streamed& s, int64_t count) {
  auto a = s.largest;
  auto b = s.sums;
  const auto& m = s.m.name;
  const auto flag = scalar_type(scalar_kind::i32);
  const auto local = [&](const std::string& base, ctype type) {
    type.is_const = false;
    return make_name(fresh_name(p, base), std::move(type));
  };
  const auto test = [&](const char* op, expr x, expr y) {
    return make_expr(expr_kind::binary, flag, {std::move(x), std::move(y)}, op);
  };
  stmt blocks = b;
  blocks.label = b.label.with(loop_role::streamed_blocks);
  blocks.name = fresh_name(p, b.name + "_block");
  blocks.step = count;
  blocks.has_value = false;
  blocks.pragmas.clear();
  const auto start = make_name(blocks.name, b.type);
  const auto end = make_binary("+", start, make_literal(count));
  for (auto* l : {&a, &b}) {
    l->from = start;
    l->to = make_expr(expr_kind::minimum, b.to.type, {end, blocks.to});
    l->has_value = false;
    l->pragmas.clear();
  }
  const auto before = local(m.text + "_before", m.type);
  const auto factor = local(m.text + "_factor", m.type);
  const auto now = local(m.text + "_now", m.type);
  stmt rescale;
  rescale.kind = stmt_kind::branch;
  rescale.value = test(">", m, before);
  auto ratio = s.terms.exponential;
  ratio.args = {make_expr(expr_kind::binary, m.type, {before, m}, "-")};
  list scaling{make_declare(factor.text, factor.type, ratio)};
  list out = s.between;
  list after;
  rename(b.body.change(), m.text, now.text);
  for (const auto& sum : s.terms.scalars) {
    const auto part = local(sum.text + "_scaled", sum.type);
    rename(b.body.change(), sum.text, part.text);
    out.push_back(make_declare(part.text, part.type, make_literal(0)));
    scaling.push_back(make_assign(part, "*=", factor));
    after.push_back(make_assign(sum, "+=", part));
  }
  for (const auto& e : s.terms.elements) {
    auto inner = make_assign(e.target, "*=", factor);
    for (auto l = e.loops.rbegin(); l != e.loops.rend(); ++l) {
      auto around = *l;
      around.label = around.label.with(loop_role::scaling);
      around.body = {std::move(inner)};
      inner = std::move(around);
    }
    scaling.push_back(std::move(inner));
  }
  rescale.body = std::move(scaling);
  // While all values are -inf, 0 stands for the maximum: the terms are 0 then, as they are beside any maximum. In the
  // last block it stands for itself, and gives the NaN of a row of nothing else.
  const auto infinity =
      make_expr(expr_kind::call, m.type, {}, m.type.base == scalar_kind::f64 ? "__builtin_inf" : "__builtin_inff");
  const auto known =
      make_expr(expr_kind::binary, flag, {test(">", m, make_unary("-", infinity)), test(">=", end, blocks.to)}, "||");
  blocks.body = {
      make_declare(before.text, before.type, m), std::move(a), std::move(rescale),
      make_declare(now.text, now.type, make_expr(expr_kind::conditional, m.type, {known, m, make_literal(0)})),
      std::move(b)};
  out.push_back(std::move(blocks));
  std::move(after.begin(), after.end(), std::back_inserter(out));
  return out;
}

bool may_stream_sums(const stmt& largest, const stmt& sums) {
  std::string reason;
  if (largest.kind != stmt_kind::loop || sums.kind != stmt_kind::loop || !same(largest.to, sums.to) || largest.lanes > 1
      || sums.lanes > 1 || largest.to.kind == expr_kind::minimum)
    return false;
  const auto m = maximum_of(largest, reason);
  return m && scaled_sums_of(sums, m->name);
}

result<void> online(program& p, const loop_label& largest, const loop_label& sums, int64_t count,
                    const environment& env) {
  size_t copies = 0;
  walk(p.body, [&](const stmt& s) { copies += s.label == largest ? 1U : 0U; });
  if (copies > 1)
    return fail(errc::unsupported, largest + " stands in several places");
  std::string reason = copies == 0 ? "no loop " + largest : sums + " does not follow " + largest;
  auto changed = p;
  for_each_labelled(changed.body.change(), largest, [&](list& where, size_t at) -> size_t {
    const auto it = std::find_if(where.begin() + static_cast<ptrdiff_t>(at) + 1, where.end(),
                                 [&](const stmt& s) { return s.label == sums; });
    if (it == where.end())
      return 1;
    if (it->kind != stmt_kind::loop || where[at].kind != stmt_kind::loop) {
      reason = (it->kind != stmt_kind::loop ? sums : largest) + " is no counted loop"; // as those that are left early
      return 1;
    }
    const auto to = static_cast<size_t>(it - where.begin());
    const auto found = look(p, where, at, to, env);
    if (!found) {
      reason = found.error().detail;
      return 1;
    }
    reason.clear();
    const auto out = in_blocks(changed, *found, count);
    where.erase(where.begin() + static_cast<ptrdiff_t>(at), where.begin() + static_cast<ptrdiff_t>(to) + 1);
    where.insert(where.begin() + static_cast<ptrdiff_t>(at), out.begin(), out.end());
    return out.size();
  });
  if (!reason.empty())
    return fail(errc::unsupported, reason);
  p = std::move(changed);
  return {};
}

} // namespace

constinit const move_descriptor moves::online{
    .name = "online",
    .takes = {a_loop, a_loop, a_number()},
    .where = site_kind::pair,
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::online(p, a.label(0), a.label(1), a.number(2), env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          if (!may_stream_sums(at.here, *at.next)) // seldom pays on a processor
            return;
          for (auto n : block_sizes)
            out.add(0.3 / static_cast<double>(block_sizes.size()), {at.here.label, at.next->label, std::to_string(n)});
        },
    .variants = [](const move& m, const environment&) { return varied(m, 2, block_sizes); },
};

} // namespace kevolve::transform
