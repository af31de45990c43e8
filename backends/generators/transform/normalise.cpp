#include "backends/generators/transform/ast.hpp"

#include "backends/generators/transform/build.hpp"

#include <algorithm>
#include <iterator>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

bool has_next(const list& body) {
  return std::any_of(body.begin(), body.end(), [](const stmt& s) {
    if (s.kind == stmt_kind::loop || s.kind == stmt_kind::while_loop)
      return false;
    return s.kind == stmt_kind::next || has_next(s.body) || has_next(s.otherwise);
  });
}

// Leaves the loop or the function other than through its condition.
bool has_exit(const list& body, bool nested = false) {
  return std::any_of(body.begin(), body.end(), [&](const stmt& s) {
    bool inner = nested || s.kind == stmt_kind::loop || s.kind == stmt_kind::while_loop;
    // A break inside a switch or a do is theirs; behind a label it may be ours.
    bool hidden = s.kind == stmt_kind::opaque && s.op != "SwitchStmt" && s.op != "DoStmt" && s.op != "GotoStmt";
    return (s.kind == stmt_kind::break_out && !nested) || s.kind == stmt_kind::give_back || hidden
           || has_exit(s.body, inner) || has_exit(s.otherwise, inner);
  });
}

// `if (c) continue; rest` becomes `if (c) ; else rest`.
void drop_next(list& body) {
  for (size_t i = 0; i < body.size(); ++i) {
    auto& s = body[i];
    if (s.kind == stmt_kind::next) {
      body.resize(i);
      return;
    }
    if (s.kind != stmt_kind::branch || !has_next({s}))
      continue;
    list rest(std::make_move_iterator(body.begin() + static_cast<ptrdiff_t>(i) + 1),
              std::make_move_iterator(body.end()));
    body.resize(i + 1);
    auto& b = body[i];
    b.body.insert(b.body.end(), rest.begin(), rest.end());
    b.otherwise.insert(b.otherwise.end(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
    drop_next(b.body);
    drop_next(b.otherwise);
    if (b.body.empty() && !b.otherwise.empty()) {
      b.value = make_expr(expr_kind::unary, scalar_type(scalar_kind::i32), {b.value}, "!");
      b.body.swap(b.otherwise);
    }
    return;
  }
}

// Splices plain blocks into their list: names are unique, so scopes carry no meaning.
void flatten(list& body) {
  list out;
  for (auto& s : body) {
    flatten(s.body);
    flatten(s.otherwise);
    if (s.kind == stmt_kind::block)
      std::move(s.body.begin(), s.body.end(), std::back_inserter(out));
    else
      out.push_back(std::move(s));
  }
  body = std::move(out);
}

// A bound that the body cannot change: no calls, nothing assigned, no array that is stored to.
bool invariant(const expr& e, const list& body) {
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

std::optional<int64_t> step_of(const stmt& s, const std::string& name) {
  if (s.kind != stmt_kind::assign || s.target.kind != expr_kind::name || s.target.text != name)
    return {};
  if (s.op == "+=")
    return literal_value(s.value);
  if (s.op == "=" && s.value.kind == expr_kind::binary && s.value.text == "+") {
    const expr* value = &s.value;
    if (value->args[0].kind == expr_kind::name && value->args[0].text == name)
      return literal_value(value->args[1]);
  }
  return {};
}

const expr& bare(const expr& e) {
  return e.kind == expr_kind::cast && e.implicit ? bare(e.args[0]) : e;
}

size_t count_mentions(const list& body, const std::string& name) {
  size_t n = 0;
  walk(body, [&](const stmt& s) {
    n += static_cast<size_t>(std::count(s.names.begin(), s.names.end(), name));
    for_each_expr(s, [&](const expr& e) {
      walk(e, [&](const expr& x) {
        n += (x.kind == expr_kind::name && x.text == name ? 1U : 0U)
             + static_cast<size_t>(std::count(x.names.begin(), x.names.end(), name));
      });
    });
  });
  return n;
}

// Where in the list the variable gets the value it has at position `at`: `T i = e` or `i = e` with nothing between
// that could change i or e. `at` itself if there is no such place.
size_t start_of(const list& body, size_t at, const std::string& name) {
  for (size_t k = at; k-- > 0;) {
    const auto& s = body[k];
    bool declares = s.kind == stmt_kind::declare && s.name == name && s.has_value && !s.is_static;
    bool assigns = s.kind == stmt_kind::assign && s.op == "=" && s.target.kind == expr_kind::name
                   && s.target.text == name && !mentions(s.value, name);
    if (declares || assigns) {
      list between(body.begin() + static_cast<ptrdiff_t>(k) + 1, body.begin() + static_cast<ptrdiff_t>(at));
      return invariant(s.value, between) ? k : at;
    }
    if (mentions(list{s}, name))
      return at;
  }
  return at;
}

// body[at] is `while (i < n) { …; i += c }`: make it a counted loop where it is one.
void count_loop(program& p, list& body, size_t at) {
  auto& w = body[at];
  list increment;
  if (w.op == "counted")
    increment = w.otherwise;
  else if (!w.body.empty())
    increment = {w.body.back()};
  auto fall_back = [&] {
    if (w.op == "counted") {
      w.body.insert(w.body.end(), increment.begin(), increment.end());
      w.otherwise.clear();
    }
    w.op.clear();
  };
  auto condition = w.value;
  if (increment.size() != 1 || condition.kind != expr_kind::binary)
    return fall_back();
  if (condition.text == ">" || condition.text == ">=") { // n > i
    std::swap(condition.args[0], condition.args[1]);
    condition.text = condition.text == ">" ? "<" : "<=";
  }
  const auto& index = bare(condition.args[0]);
  if (index.kind != expr_kind::name || index.type.depth != 0 || !is_integer(index.type.base))
    return fall_back();
  auto name = index.text;
  auto type = index.type;
  auto step = step_of(increment[0], name);
  bool known = condition.text == "<" || condition.text == "<=" || (condition.text == "!=" && step == 1);
  bool parameter_index =
      std::any_of(p.parameters.begin(), p.parameters.end(), [&](const parameter& x) { return x.name == name; });
  auto work = w.body;
  if (w.op != "counted")
    work.pop_back();
  auto bound = bare(condition.args[1]);
  if (!known || !step || *step < 1 || assigned(work).count(name) != 0 || has_exit(work) || has_next(work)
      || !invariant(bound, work) || mentions(bound, name) || parameter_index || type.is_const)
    return fall_back();
  if (condition.text == "<=")
    bound = make_binary("+", bound, make_literal(1));
  stmt loop;
  loop.kind = stmt_kind::loop;
  loop.type = type;
  loop.type.is_const = false;
  loop.step = *step;
  loop.to = bound;
  loop.from = make_name(name, type);
  auto start = start_of(body, at, name);
  bool own = start < at;
  auto inside = count_mentions({w}, name);
  bool used_elsewhere =
      count_mentions(p.body, name) > inside + (own && body[start].kind == stmt_kind::assign ? 1U : 0U);
  if (used_elsewhere && *step != 1)
    return fall_back();
  if (own)
    loop.from = bare(body[start].value);
  loop.name = used_elsewhere || !own ? fresh_name(p, name) : name;
  loop.body = std::move(work);
  if (loop.name != name)
    rename(loop.body, name, loop.name);
  auto from = loop.from;
  w = std::move(loop);
  if (used_elsewhere) { // its value after the loop
    auto more =
        make_expr(expr_kind::conditional, type,
                  {make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {from, bound}, "<"), bound, from});
    body.insert(body.begin() + static_cast<ptrdiff_t>(at) + 1,
                make_assign(make_name(name, type), "=", std::move(more)));
  } else if (own)
    body.erase(body.begin() + static_cast<ptrdiff_t>(start));
}

// Variables that are set but never read, as counted loops leave them behind.
void drop_unread(list& all) {
  std::set<std::string> set_only;
  walk(all, [&](const stmt& s) {
    if (s.kind == stmt_kind::declare && s.type.depth == 0 && s.type.suffix.empty() && !s.is_static)
      set_only.insert(s.name);
  });
  auto pure = [](const expr& e) {
    bool ok = true;
    walk(e, [&](const expr& x) { ok = ok && x.kind != expr_kind::call && x.kind != expr_kind::opaque; });
    return ok;
  };
  walk(all, [&](const stmt& s) {
    for (const auto& n : s.names)
      set_only.erase(n);
    bool sets = s.kind == stmt_kind::assign && s.target.kind == expr_kind::name && s.op == "=";
    if (!pure(s.value) && (sets || s.kind == stmt_kind::declare))
      set_only.erase(sets ? s.target.text : s.name);
    for_each_expr(s, [&](const expr& e) {
      if (sets && &e == &s.target)
        return;
      walk(e, [&](const expr& x) {
        if (x.kind == expr_kind::name)
          set_only.erase(x.text);
        for (const auto& n : x.names)
          set_only.erase(n);
      });
    });
  });
  std::function<void(list&)> drop = [&](list& xs) {
    std::erase_if(xs, [&](const stmt& s) {
      return (s.kind == stmt_kind::declare && set_only.count(s.name) != 0)
             || (s.kind == stmt_kind::assign && s.target.kind == expr_kind::name && set_only.count(s.target.text) != 0);
    });
    for (auto& x : xs) {
      drop(x.body);
      drop(x.otherwise);
    }
  };
  drop(all);
}

void count_loops(program& p, list& body) {
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i].kind == stmt_kind::while_loop && has_next(body[i].body)) {
      drop_next(body[i].body);
      flatten(body[i].body);
    }
    count_loops(p, body[i].body);
    if (body[i].kind == stmt_kind::branch)
      count_loops(p, body[i].otherwise);
    if (body[i].kind == stmt_kind::while_loop) {
      auto size = body.size();
      count_loop(p, body, i);
      if (body.size() < size)
        i -= size - body.size();
    }
  }
}

// `const float *row = x + i * cols;` never reassigned: row[j] is x[i * cols + j].
void forward_pointers(program& p, list& body) {
  for (size_t i = 0; i < body.size(); ++i) {
    forward_pointers(p, body[i].body);
    forward_pointers(p, body[i].otherwise);
    auto& s = body[i];
    if (s.kind != stmt_kind::declare || s.type.depth != 1 || !s.type.suffix.empty() || !s.has_value)
      continue;
    auto value = s.value;
    expr base = value;
    expr offset = make_literal(0);
    if (value.kind == expr_kind::binary && value.text == "+" && value.args[0].type.depth == 1) {
      base = value.args[0];
      offset = value.args[1];
    } else if (value.kind == expr_kind::unary && value.text == "&" && value.args[0].kind == expr_kind::subscript) {
      base = value.args[0].args[0];
      offset = value.args[0].args[1];
    }
    if (base.kind != expr_kind::name || base.type.depth != 1 || base.type.base != s.type.base)
      continue;
    auto name = s.name;
    list rest(body.begin() + static_cast<ptrdiff_t>(i) + 1, body.end());
    if (assigned(p.body).count(name) != 0 || assigned(p.body).count(base.text) != 0 || !invariant(offset, rest))
      continue;
    // Every mention must be the base of a subscript.
    size_t subscripts = 0;
    walk_exprs(rest, [&](const expr& e) {
      subscripts +=
          e.kind == expr_kind::subscript && e.args[0].kind == expr_kind::name && e.args[0].text == name ? 1U : 0U;
    });
    if (subscripts != count_mentions(p.body, name))
      continue;
    body.erase(body.begin() + static_cast<ptrdiff_t>(i));
    rest.clear();
    for (size_t j = i; j < body.size(); ++j)
      rest.push_back(std::move(body[j]));
    walk_exprs(rest, [&](expr& e) {
      if (e.kind == expr_kind::subscript && e.args[0].kind == expr_kind::name && e.args[0].text == name) {
        e.args[0] = base;
        e.args[1] = literal_value(e.args[1]) == 0 ? offset : make_binary("+", offset, e.args[1]);
      }
    });
    body.resize(i);
    std::move(rest.begin(), rest.end(), std::back_inserter(body));
    --i;
  }
}

// C89 style `float t; for (…) { t = …; }`: move the declaration into the one nested list that uses it, when its
// first use there is a plain assignment, so that iterations are seen to be independent.
bool sink_declaration(list& body, size_t at) {
  auto name = body[at].name;
  if (body[at].has_value || body[at].is_static || !body[at].type.suffix.empty())
    return false;
  size_t user = 0;
  size_t users = 0;
  for (size_t i = at + 1; i < body.size(); ++i)
    if (mentions(list{body[i]}, name)) {
      user = i;
      ++users;
    }
  if (users != 1 || body[user].kind != stmt_kind::loop || !mentions(body[user].body, name)
      || mentions(body[user].from, name) || mentions(body[user].to, name))
    return false;
  auto& inner = body[user].body;
  for (auto& s : inner) {
    if (!mentions(list{s}, name))
      continue;
    bool starts = s.kind == stmt_kind::assign && s.op == "=" && s.target.kind == expr_kind::name
                  && s.target.text == name && !mentions(s.value, name);
    bool deeper = s.kind == stmt_kind::loop;
    if (!starts && !deeper)
      return false;
    if (!starts) { // it must then sink further, or another iteration's value could be read
      list probe = inner;
      probe.insert(probe.begin(), body[at]);
      if (!sink_declaration(probe, 0))
        return false;
    }
    auto declaration = std::move(body[at]);
    inner.insert(inner.begin(), std::move(declaration));
    body.erase(body.begin() + static_cast<ptrdiff_t>(at));
    return true;
  }
  return false;
}

void sink_declarations(list& body) {
  for (size_t i = 0; i < body.size();)
    if (body[i].kind != stmt_kind::declare || !sink_declaration(body, i))
      ++i;
  for (auto& s : body) {
    sink_declarations(s.body);
    sink_declarations(s.otherwise);
  }
  // `T x; … x = e;` becomes `T x = e;` where nothing stands between.
  for (size_t i = 0; i + 1 < body.size(); ++i)
    for (size_t j = i + 1; j < body.size() && body[i].kind == stmt_kind::declare && !body[i].has_value; ++j) {
      if (!mentions(list{body[j]}, body[i].name))
        continue;
      if (body[j].kind == stmt_kind::assign && body[j].op == "=" && body[j].target.kind == expr_kind::name
          && body[j].target.text == body[i].name && !mentions(body[j].value, body[i].name)) {
        auto value = body[j].value;
        auto declaration = body[i];
        declaration.value = std::move(value);
        declaration.has_value = true;
        body[j] = std::move(declaration);
        body.erase(body.begin() + static_cast<ptrdiff_t>(i));
        --i;
      }
      break;
    }
}

// `if (e > m) m = e;` is `m = e > m ? e : m`: a maximum, which the moves know.
void name_extremes(list& body) {
  for (auto& s : body) {
    name_extremes(s.body);
    name_extremes(s.otherwise);
    if (s.kind != stmt_kind::branch || !s.otherwise.empty() || s.body.size() != 1)
      continue;
    const auto& a = s.body[0];
    const auto& c = bare(s.value);
    bool compares = c.kind == expr_kind::binary && (c.text == "<" || c.text == ">" || c.text == "<=" || c.text == ">=");
    if (!compares || a.kind != stmt_kind::assign || a.op != "=" || a.target.kind != expr_kind::name)
      continue;
    bool extreme = (same(c.args[0], a.value) && same(c.args[1], a.target))
                   || (same(c.args[1], a.value) && same(c.args[0], a.target));
    if (extreme)
      s = make_assign(a.target, "=", make_expr(expr_kind::conditional, a.target.type, {c, a.value, a.target}));
  }
}

} // namespace

void normalise(program& p) {
  flatten(p.body);
  name_extremes(p.body);
  count_loops(p, p.body);
  flatten(p.body);
  drop_unread(p.body);
  forward_pointers(p, p.body);
  sink_declarations(p.body);
  int loops = 0;
  int whiles = 0;
  int branches = 0;
  walk(p.body, [&](stmt& s) {
    if (s.kind == stmt_kind::loop)
      s.label = "L" + std::to_string(loops++);
    else if (s.kind == stmt_kind::while_loop)
      s.label = "W" + std::to_string(whiles++);
    else if (s.kind == stmt_kind::branch)
      s.label = "B" + std::to_string(branches++);
  });
}

} // namespace kevolve::transform
