#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/frontend/ast.hpp"

#include "backends/generators/transform/normalise/steps.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>

namespace kevolve::transform {

// Splices plain blocks into their list: names are unique, so scopes carry no meaning.
void flatten(stmt_list& body) {
  stmt_list out;
  for (auto& s : body) {
    flatten(s.body.change());
    flatten(s.otherwise.change());
    if (s.kind == stmt_kind::block) {
      auto inner = s.body.take();
      std::move(inner.begin(), inner.end(), std::back_inserter(out));
    } else
      out.push_back(std::move(s));
  }
  body = std::move(out);
}

// Returns true for a bound that the body cannot change: no calls, nothing assigned, no array that is stored to.
bool invariant(const expr& e, const stmt_list& body) {
  auto changed = assigned(body);
  bool stores = false;
  walk(body, [&](const stmt& s) {
    stores = stores || s.kind == stmt_kind::opaque || (s.kind == stmt_kind::assign && s.target.kind != expr_kind::name)
             || s.kind == stmt_kind::evaluate;
  });
  bool ok = true;
  walk(e, [&](const expr& x) {
    if (x.kind == expr_kind::opaque || x.kind == expr_kind::call)
      ok = false;
    if (x.kind == expr_kind::name && changed.count(x.text) != 0)
      ok = false;
    if ((x.kind == expr_kind::subscript || x.kind == expr_kind::member) && stores) {
      const expr* root = &x;
      while (!root->args.empty())
        root = &root->args[0];
      walk(body, [&](const stmt& s) {
        if (s.kind == stmt_kind::assign && s.target.kind != expr_kind::name) {
          const expr* other = &s.target;
          while (!other->args.empty())
            other = &other->args[0];
          // A const input cannot be an output: the contract excludes aliasing, see analysis.hpp.
          ok = ok && other->text != root->text && root->type.is_const;
        } else if (s.kind == stmt_kind::opaque || s.kind == stmt_kind::evaluate)
          ok = false;
      });
    }
  });
  return ok;
}

size_t count_mentions(const stmt_list& body, const std::string& name) {
  size_t n = 0;
  walk(body, [&](const stmt& s) {
    n += static_cast<size_t>(std::count(s.names.begin(), s.names.end(), name));
    n += !s.type.suffix.empty() && replace_identifier(s.type.suffix, name, "") != s.type.suffix ? 1U : 0U;
    for_each_expr(s, [&](const expr& e) {
      walk(e, [&](const expr& x) {
        n += (x.kind == expr_kind::name && x.text == name ? 1U : 0U)
             + static_cast<size_t>(std::count(x.names.begin(), x.names.end(), name));
      });
    });
  });
  return n;
}

namespace {

using list = std::vector<stmt>;

// Moves variables that outlive the call, and are declared inside statements, in front of those of the list: moves copy
// bodies, and a variable of each copy's own would be another one.
void lift_statics(list& body) {
  list out;
  const std::function<void(list&)> take = [&](list& inner) {
    list rest;
    for (auto& s : inner) {
      take(s.body.change());
      take(s.otherwise.change());
      const bool outlives = s.kind == stmt_kind::declare && s.is_static && !s.type.is_const;
      (outlives ? out : rest).push_back(std::move(s));
    }
    inner = std::move(rest);
  };
  for (auto& s : body) {
    take(s.body.change());
    take(s.otherwise.change());
    out.push_back(std::move(s));
  }
  body = std::move(out);
}

// `if (e > m) m = e;` is `m = e > m ? e : m`: a maximum, which the moves know.
void name_extremes(list& body) {
  for (auto& s : body) {
    name_extremes(s.body.change());
    name_extremes(s.otherwise.change());
    if (s.kind != stmt_kind::branch || !s.otherwise.empty() || s.body.size() != 1)
      continue;
    const auto& a = s.body[0];
    const auto& c = bare(s.value);
    bool compares = c.kind == expr_kind::binary && (c.text == "<" || c.text == ">" || c.text == "<=" || c.text == ">=");
    if (!compares || a.kind != stmt_kind::assign || a.op != "=" || a.target.kind != expr_kind::name)
      continue;
    bool extreme = (same(c.args[0], a.value) && same(c.args[1], a.target))
                   || (same(c.args[1], a.value) && same(c.args[0], a.target));
    // In a conditional the variable would be converted to what it is compared as, and back.
    const bool converts = bare(a.value).type.base != a.target.type.base && c.args[0].type.base != a.target.type.base;
    if (extreme && !converts)
      s = make_assign(a.target, "=", make_expr(expr_kind::conditional, a.target.type, {c, a.value, a.target}));
  }
}

// Returns the value of x after the statement, where that does nothing but choose it: if (a) x = b; else if (c) x = d;
std::optional<expr> chosen_value(const stmt& s, const expr& x) {
  if (s.kind == stmt_kind::assign && s.op == "=" && same(s.target, x))
    return s.value;
  if (s.kind != stmt_kind::branch || s.body.size() != 1 || s.otherwise.size() > 1 || !is_speculable(s.value))
    return {};
  const auto yes = chosen_value(s.body[0], x);
  const auto no = s.otherwise.empty() ? x : chosen_value(s.otherwise[0], x);
  if (!yes || !no || !is_speculable(*yes) || !is_speculable(*no))
    return {};
  // An assignment converts its value by itself; a choice would convert both its sides to one type.
  const auto as_it = [&](const expr& value) {
    return bare(value).type.base == x.type.base ? value
                                                : make_expr(expr_kind::cast, scalar_type(x.type.base), {bare(value)});
  };
  return make_expr(expr_kind::conditional, x.type, {s.value, as_it(*yes), as_it(*no)});
}

constexpr size_t most_steps = 3; // each may mention the one before several times: written out, they double

// Returns true if only whole statements of the list assign to the name that an earlier one declares, and nothing else
// can. Some of them use its value before.
bool changes_in_line(const list& body, size_t declared_at) {
  const auto& name = body[declared_at].name;
  const auto x = make_name(name, body[declared_at].type);
  size_t steps = 0;
  for (size_t k = declared_at + 1; k < body.size(); ++k)
    if (const auto value = chosen_value(body[k], x))
      steps += mentions(*value, name) ? 1U : 0U;
    else if (assigned({body[k]}).count(name) != 0)
      return false;
  bool ok = steps > 0 && steps <= most_steps;
  const list rest(body.begin() + static_cast<ptrdiff_t>(declared_at) + 1, body.end());
  walk(rest, [&](const stmt& s) {
    ok = ok && std::find(s.names.begin(), s.names.end(), name) == s.names.end()
         && replace_identifier(s.type.suffix, name, "") == s.type.suffix;
  });
  walk_exprs(rest, [&](const expr& e) {
    ok = ok && std::find(e.names.begin(), e.names.end(), name) == e.names.end()
         && !(e.kind == expr_kind::unary && e.text == "&" && mentions(e, name));
  });
  return ok && declared(rest).count(name) == 0;
}

// An index that is moved into its range in steps gets a name for each: every one of them then has one value.
void name_each_value(program& p, list& body) {
  for (auto& s : body) {
    name_each_value(p, s.body.change());
    name_each_value(p, s.otherwise.change());
  }
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i].kind != stmt_kind::declare || !body[i].has_value || body[i].is_static || !is_integer(body[i].type.base)
        || body[i].type.depth != 0 || body[i].type.lanes != 1 || !body[i].type.suffix.empty()
        || !changes_in_line(body, i))
      continue;
    const auto before = make_name(body[i].name, body[i].type);
    auto now = before;
    for (size_t k = i + 1; k < body.size(); ++k)
      if (auto value = chosen_value(body[k], before)) {
        substitute(*value, before.text, now);
        now.text = fresh_name(p, before.text);
        body[k] = make_declare(now.text, before.type, value);
      } else if (now.text != before.text)
        substitute(body[k], before.text, now);
  }
}

// `int holds = x[i] > 0; if (holds)`, as `if (*p++ > 0)` is read: the condition, where nothing stands between any more.
void ask_at_once(list& all, list& body) {
  for (size_t i = 0; i < body.size(); ++i) {
    ask_at_once(all, body[i].body.change());
    ask_at_once(all, body[i].otherwise.change());
    if (i == 0 || body[i].kind != stmt_kind::branch || body[i].value.kind != expr_kind::name)
      continue;
    auto& kept = body[i - 1];
    if (kept.kind != stmt_kind::declare || kept.name != body[i].value.text || !kept.has_value || kept.is_static
        || !is_truth(kept.value) || count_mentions(all, kept.name) != 1)
      continue;
    body[i].value = std::move(kept.value);
    body.erase(body.begin() + static_cast<ptrdiff_t>(--i));
  }
}

} // namespace

void normalise(program& p) {
  auto& body = p.body.change();
  flatten(body);
  lift_statics(body);
  name_extremes(body);
  part_variables(p, body);
  count_loops(p, body);
  flatten(body);
  spell_copies(p, body);
  write_inductions(p, body);
  spell_early_ends(p, body);
  unwrap_borders(body);
  drop_unread(body);
  ask_at_once(body, body);
  forward_copies(p, body);
  forward_pointers(p, body);
  sink_declarations(body);
  forward_places(p, body);
  name_each_value(p, body);
  keep_best(p, body);
  sink_arrays(body);
  int loops = 0;
  int whiles = 0;
  int branches = 0;
  rewrite(body, [&](stmt& s) {
    if (s.kind == stmt_kind::loop)
      s.label = loop_label{"L" + std::to_string(loops++)};
    else if (s.kind == stmt_kind::while_loop)
      s.label = loop_label{"W" + std::to_string(whiles++)};
    else if (s.kind == stmt_kind::branch)
      s.label = loop_label{"B" + std::to_string(branches++)};
  });
}

} // namespace kevolve::transform
