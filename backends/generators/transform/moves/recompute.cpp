// recompute(B, C): rematerialisation. A value that B stores and C alone reads is computed by C again.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/effects.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

// Returns true if every subscript of the array, in the statement, is that element.
bool only_at(const stmt& whole, const expr& element) {
  bool ok = true;
  walk_exprs({whole}, [&](const expr& e) {
    ok = ok && (e.kind != expr_kind::subscript || root_of(e) != root_of(element) || same(e, element));
  });
  return ok;
}

bool stores_to(const stmt& s, const std::string& array) {
  return s.kind == stmt_kind::assign && s.target.kind == expr_kind::subscript && root_of(s.target) == array;
}

size_t stores_in(const list& body, const std::string& array) {
  size_t n = 0;
  walk(body, [&](const stmt& s) { n += stores_to(s, array) || s.kind == stmt_kind::vector_store ? 1U : 0U; });
  return n;
}

// Returns the statement that gives `element` a value in every iteration of the body; the body's size: none does.
size_t store_of(const list& body, const expr& element) {
  const auto it = std::find_if(body.begin(), body.end(), [&](const stmt& s) {
    return s.kind == stmt_kind::assign && s.target.kind == expr_kind::subscript && same(s.target, element);
  });
  return static_cast<size_t>(it - body.begin());
}

void replace_element(expr& e, const expr& element, const expr& value) {
  rewrite(e, [&](expr& x) {
    if (x.kind == expr_kind::subscript && same(x, element))
      x = value;
  });
}

// In everything but the targets of plain stores to it.
void replace_reads(stmt& s, const expr& element, const expr& value) {
  list one{std::move(s)};
  rewrite(one, [&](stmt& x) {
    for_each_expr(x, [&](expr& e) {
      if (&e != &x.target || !same(e, element))
        replace_element(e, element, value);
    });
  });
  s = std::move(one.front());
}

// Returns true if a statement mentions the array outside the loops of these labels.
bool mentioned_outside(const list& body, const std::string& array, const std::set<std::string>& labels) {
  return std::any_of(body.begin(), body.end(), [&](const stmt& s) {
    if (labels.count(s.label) != 0)
      return false;
    auto alone = s;
    alone.body.clear();
    alone.otherwise.clear();
    return mentions(alone, array) || mentioned_outside(s.body, array, labels)
           || mentioned_outside(s.otherwise, array, labels);
  });
}

// Returns the loop before where[at] that begins each round: over the same range it stores to the element in every
// iteration and looks at the array afterwards only. Null: there is none.
const stmt* renewal(const program& p, const list& where, size_t at, const expr& element) {
  const auto& l = where[at];
  const auto reassigned = assigned(p.body);
  for (const auto& whole : {l.from, l.to, element.args[1]}) {
    bool fixed = is_speculable(whole);
    walk(whole, [&](const expr& e) { fixed = fixed && (e.kind != expr_kind::name || reassigned.count(e.text) == 0); });
    if (!fixed)
      return nullptr;
  }
  for (size_t i = 0; i < at; ++i) {
    auto s = where[i];
    if (s.kind != stmt_kind::loop || !same(s.from, l.from) || !same(s.to, l.to) || s.step != 1 || s.lanes > 1
        || leaves_early(s.body) || (s.name != l.name && mentions(s.body, l.name)))
      continue;
    rename(s.body.change(), s.name, l.name);
    const auto stored = store_of(s.body, element);
    if (stored < s.body.size() && s.body[stored].op == "=" && only_at(s, element)
        && !mentions(list(s.body.begin(), s.body.begin() + static_cast<ptrdiff_t>(stored)), root_of(element))
        && !mentions(s.body[stored].value, root_of(element)))
      return &where[i];
  }
  return nullptr;
}

// Returns why the value that an iteration of the loop `first` computes may differ after the statements; empty: it is
// the same.
std::string why_different(const program& p, const expr& value, const list& after, const environment& env) {
  const auto written = arrays_written(after);
  const auto changed = assigned(after);
  const auto hidden = declared(after);
  const bool loads = !is_speculable(value);
  std::string out;
  for (const auto& w : written) // a pointer that is no argument may lead to scalars
    if (w.empty() || (!keeps_apart(p, w, env) && (loads || find_argument(env.task, w) == nullptr)))
      out = "what stands between may write anywhere";
  walk(value, [&](const expr& e) {
    if (e.kind == expr_kind::name && (changed.count(e.text) != 0 || hidden.count(e.text) != 0))
      out = e.text + " is another one afterwards";
    if (e.kind != expr_kind::subscript || written.empty())
      return;
    if (const auto root = root_of(e); written.count(root) != 0 || !keeps_apart(p, root, env))
      out = root + " may be another one afterwards";
  });
  return out;
}

// Rewrites where[at] and where[to]; the reason if it may not.
std::string recompute_in(program& p, list& where, size_t at, size_t to, const environment& env) {
  auto a = where[at];
  auto c = where[to];
  if (!same(a.from, c.from) || !same(a.to, c.to) || a.step != 1 || c.step != 1 || a.type.base != c.type.base
      || a.lanes > 1 || c.lanes > 1)
    return a.label + " and " + c.label + " do not run over the same range, one by one";
  if (leaves_early(a.body) || leaves_early(c.body))
    return "one of them can be left early";
  if (mentions(c.body, a.name) && a.name != c.name)
    return c.label + " needs another " + a.name;
  rename(c.body.change(), c.name, a.name);
  c.name = a.name;
  const list between(where.begin() + static_cast<ptrdiff_t>(at) + 1, where.begin() + static_cast<ptrdiff_t>(to));
  if (leaves_early(between))
    return "what stands between can end it all";
  for (const auto* body : {&a.body, &c.body})
    if (arrays_written(*body).count({}) != 0)
      return "one of them may write anywhere";
  auto meanwhile = between;
  meanwhile.insert(meanwhile.end(), a.body.begin(), a.body.end());
  for (const auto& bound : {a.from, a.to})
    if (auto why = why_different(p, bound, meanwhile, env); !why.empty())
      return "the range changes: " + why;

  // The store whose value C reads.
  std::string reason = c.label + " reads nothing that " + a.label + " stores";
  for (size_t k = 0; k < a.body.size(); ++k) {
    const auto store = a.body[k];
    if (store.kind != stmt_kind::assign || store.target.kind != expr_kind::subscript
        || !mentions(c.body, root_of(store.target)))
      continue;
    const auto& element = store.target;
    const auto array = root_of(element);
    const auto value = with_locals(store.value, a.body, k);
    const auto held = make_name(array + "_value", element.type);
    reason = [&]() -> std::string {
      if (array.empty() || !keeps_apart(p, array, env) || !is_only_indexed(p.body, array))
        return array + " is no array that stands alone";
      if (!only_at(a, element) || !only_at(c, element) || stores_in(a.body, array) != 1)
        return array + " is not read and written at the loops' own index only";
      if (store.op != "=" || !only_computes(store.value) || !is_speculable(element.args[1]) || element.type.depth != 0
          || element.args[0].kind != expr_kind::name)
        return "what " + a.label + " stores to " + array + " cannot be computed again";
      if (!facts_of(env, a.label).independent)
        return a.label + " carries a dependence: " + facts_of(env, a.label).reason;
      if (mentions(between, array))
        return array + " is used between them";
      const auto last = store_of(c.body, element);
      const bool overwritten = last < c.body.size();
      list before_store(c.body.begin(), c.body.begin() + static_cast<ptrdiff_t>(overwritten ? last : c.body.size()));
      if (stores_in(before_store, array) != 0)
        return c.label + " overwrites " + array + " under a condition";
      if (overwritten && c.body[last].op != "=" && !is_float(element.type.base))
        return c.label + " updates whole numbers in " + array;
      // The value must be the same when it is computed again: nothing after the store changes its operands.
      list after(a.body.begin(), a.body.end());
      after.erase(after.begin() + static_cast<ptrdiff_t>(k));
      for (const auto* more : {&between, static_cast<const list*>(&before_store)})
        after.insert(after.end(), more->begin(), more->end());
      list others(c.body.begin() + static_cast<ptrdiff_t>(before_store.size()), c.body.end());
      std::erase_if(others, [&](const stmt& s) { return stores_to(s, array); }); // at its own index
      after.insert(after.end(), others.begin(), others.end());
      for (const auto& what : {value, element.args[1]})
        if (auto why = why_different(p, what, after, env); !why.empty())
          return why;
      if (!overwritten) {
        // The store goes for good: what it overwrote stays, and nobody may see that.
        if (find_argument(env.task, array) != nullptr)
          return c.label + " does not overwrite " + array;
        const auto* begins = renewal(p, where, at, element);
        std::set<std::string> known{a.label, c.label};
        if (begins != nullptr)
          known.insert(begins->label);
        if (mentioned_outside(p.body, array, known))
          return array + " is read elsewhere";
        const list upto(a.body.begin(), a.body.begin() + static_cast<ptrdiff_t>(k));
        if ((mentions(upto, array) || mentions(store.value, array)) && begins == nullptr)
          return array + " is what an earlier round has left";
      }
      return {};
    }();
    if (!reason.empty())
      continue;
    auto in_first = held;
    in_first.text = fresh_name(p, array + "_value");
    auto& first = a.body.change();
    auto kind = element.type;
    kind.is_const = false;
    first[k] = make_declare(in_first.text, kind, store.value);
    for (size_t i = k + 1; i < first.size(); ++i)
      replace_reads(first[i], element, in_first);
    auto in_second = held;
    in_second.text = fresh_name(p, array + "_value");
    const auto last = store_of(c.body, element);
    auto& second = c.body.change();
    for (size_t i = 0; i < second.size() && i <= last; ++i)
      replace_reads(second[i], element, in_second);
    if (last < second.size() && second[last].op != "=") {
      auto& s = second[last];
      const auto wider = bits(s.value.type.base) > bits(kind.base) ? s.value.type : kind;
      s.value = make_expr(expr_kind::binary, wider, {in_second, s.value}, s.op.substr(0, s.op.size() - 1));
      s.op = "=";
    }
    second.insert(second.begin(), make_declare(in_second.text, kind, value));
    where[at] = std::move(a);
    where[to] = std::move(c);
    return {};
  }
  return reason;
}

bool may_recompute(const stmt& first, const stmt& second) {
  return first.kind == stmt_kind::loop && second.kind == stmt_kind::loop && first.lanes == 1 && second.lanes == 1
         && same(first.to, second.to) && std::any_of(first.body.begin(), first.body.end(), [&](const stmt& s) {
              return s.kind == stmt_kind::assign && s.op == "=" && s.target.kind == expr_kind::subscript
                     && mentions(second.body, root_of(s.target));
            });
}

result<void> recompute(program& p, const loop_label& first, const loop_label& second, const environment& env) {
  std::string reason = second + " does not follow " + first;
  bool done = false;
  auto changed = p;
  for_each_labelled(changed.body.change(), first, [&](list& where, size_t at) -> size_t {
    const auto it = std::find_if(where.begin() + static_cast<ptrdiff_t>(at) + 1, where.end(),
                                 [&](const stmt& s) { return s.label == second; });
    if (it == where.end())
      return 1;
    if (it->kind != stmt_kind::loop || where[at].kind != stmt_kind::loop) {
      reason = (it->kind != stmt_kind::loop ? second : first) + " is no counted loop"; // as those that are left early
      return 1;
    }
    auto why = recompute_in(changed, where, at, static_cast<size_t>(it - where.begin()), env);
    done = done || why.empty();
    if (!why.empty())
      reason = std::move(why);
    return 1;
  });
  if (!done)
    return fail(errc::unsupported, reason);
  p = std::move(changed);
  return {};
}

} // namespace

constinit const move_descriptor moves::recompute{
    .name = "recompute",
    .takes = {a_loop, a_loop},
    .goes_by_arrays = true,
    .where = site_kind::pair,
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::recompute(p, a.label(0), a.label(1), env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          if (may_recompute(at.here, *at.next)) // seldom pays on a processor
            out.add(0.1, {at.here.label, at.next->label});
        },
};

} // namespace kevolve::transform
