#include "backends/generators/transform/normalise/steps.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

namespace kevolve::transform {

using list = stmt_list;

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
    if (!s.type.suffix.empty())
      std::erase_if(set_only, [&](const auto& n) { return replace_identifier(s.type.suffix, n, "") != s.type.suffix; });
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
      drop(x.body.change());
      drop(x.otherwise.change());
    }
  };
  drop(all);
}

namespace {

// Returns a number, a name, or one of them as a wider or narrower integer of 32 bits or more.
const expr* copied(const expr& value) {
  const auto* v = &value;
  while (v->kind == expr_kind::cast && is_integer(v->type.base) && bits(v->type.base) >= 32
         && is_integer(v->args[0].type.base))
    v = &v->args[0];
  return v->kind == expr_kind::name || v->kind == expr_kind::literal ? v : nullptr;
}

} // namespace

void forward_copies(const program& p, list& all) {
  const auto changed = assigned(all);
  auto own = declared(all); // what the file has may be changed by whom we call
  for (const auto& x : p.parameters)
    own.insert(x.name);
  std::set<std::string> kept; // what text that is left as it is mentions
  const auto keep = [&](const auto& x) { kept.insert(x.names.begin(), x.names.end()); };
  walk(all, keep);
  walk_exprs(all, keep);
  std::vector<std::pair<std::string, expr>> copies;
  const std::function<void(list&)> take = [&](list& body) {
    std::erase_if(body, [&](const stmt& s) {
      if (s.kind != stmt_kind::declare || !s.has_value || s.is_static || !s.type.suffix.empty()
          || changed.count(s.name) != 0 || kept.count(s.name) != 0)
        return false;
      const auto* v = copied(s.value);
      const auto given = bare(s.value).type;
      if (v == nullptr || v->type.depth != s.type.depth || !v->type.suffix.empty() || given.base != s.type.base
          || (v->kind == expr_kind::name && (changed.count(v->text) != 0 || own.count(v->text) == 0)))
        return false;
      copies.emplace_back(s.name, s.value);
      return true;
    });
    for (auto& s : body) {
      take(s.body.change());
      take(s.otherwise.change());
    }
  };
  take(all);
  for (size_t i = 0; i < copies.size(); ++i) { // a copy of a copy
    for (size_t j = i + 1; j < copies.size(); ++j)
      substitute(copies[j].second, copies[i].first, copies[i].second);
    substitute(all, copies[i].first, copies[i].second);
  }
  rewrite_exprs(all, [](expr& e) { // 0 + k is k
    while (e.kind == expr_kind::binary && e.text == "+" && is_integer(e.type.base) && e.type.depth == 0
           && literal_value(e.args[0]) == 0 && e.args[1].type.base == e.type.base)
      e = expr(e.args[1]);
  });
}

namespace {

// Sums and products of numbers and of names that keep their values, without wrapping: where an element stands.
bool is_place(const expr& e, const std::function<bool(const std::string&)>& stays) {
  bool ok = is_integer(e.type.base) && !is_unsigned(e.type.base) && bits(e.type.base) >= 32 && e.type.lanes == 1
            && e.type.depth == 0;
  if (e.kind == expr_kind::name)
    return ok && stays(e.text);
  const bool computes = (e.kind == expr_kind::binary && (e.text == "+" || e.text == "-" || e.text == "*"))
                        || (e.kind == expr_kind::unary && e.text == "-") || e.kind == expr_kind::cast;
  for (const auto& a : e.args)
    ok = ok && is_place(a, stays);
  return ok && (e.kind == expr_kind::literal || computes);
}

} // namespace

void forward_places(const program& p, list& all) {
  const auto changed = assigned(all);
  auto own = declared(all);
  for (const auto& x : p.parameters)
    own.insert(x.name);
  std::set<std::string> kept;   // what text mentions
  std::set<std::string> places; // what says where an element stands
  const auto keep = [&](const auto& x) { kept.insert(x.names.begin(), x.names.end()); };
  walk(all, [&](const stmt& s) {
    keep(s);
    for (const auto& name : own)
      if (!s.type.suffix.empty() && replace_identifier(s.type.suffix, name, "") != s.type.suffix)
        kept.insert(name);
  });
  walk_exprs(all, [&](const expr& e) {
    keep(e);
    if (e.kind == expr_kind::subscript)
      walk(e.args[1], [&](const expr& x) {
        if (x.kind == expr_kind::name)
          places.insert(x.text);
      });
  });
  for (size_t known = 0; known != places.size();) { // what those are made of
    known = places.size();
    walk(all, [&](const stmt& s) {
      if (s.kind == stmt_kind::declare && places.count(s.name) != 0)
        walk(s.value, [&](const expr& x) {
          if (x.kind == expr_kind::name)
            places.insert(x.text);
        });
    });
  }
  const auto stays = [&](const std::string& name) { return changed.count(name) == 0 && own.count(name) != 0; };
  // Names of sizes alone stay: a number of columns says more by its name than as `width - side + 1`.
  std::set<std::string> moving;
  walk(all, [&](const stmt& s) {
    if (s.kind == stmt_kind::loop)
      moving.insert(s.name);
    if (s.kind == stmt_kind::declare && s.has_value)
      walk(s.value, [&](const expr& x) {
        if (x.kind == expr_kind::name && moving.count(x.text) != 0)
          moving.insert(s.name);
      });
  });
  const std::function<void(list&)> visit = [&](list& body) {
    for (size_t i = 0; i < body.size(); ++i) {
      const auto s = body[i];
      if (s.kind == stmt_kind::declare && s.has_value && !s.is_static && s.type.suffix.empty() && stays(s.name)
          && kept.count(s.name) == 0 && places.count(s.name) != 0 && moving.count(s.name) != 0
          && is_place(make_name(s.name, s.type), stays) && is_place(s.value, stays)) {
        const auto& value = bare(s.value);
        const auto now = value.type.base == s.type.base || value.kind == expr_kind::literal
                             ? value
                             : make_expr(expr_kind::cast, scalar_type(s.type.base), {value});
        body.erase(body.begin() + static_cast<ptrdiff_t>(i--));
        for (auto k = i + 1; k < body.size(); ++k)
          substitute(body[k], s.name, now);
        continue;
      }
      visit(body[i].body.change());
      visit(body[i].otherwise.change());
    }
  };
  visit(all);
}

namespace {

// Returns true for a pointer, or an array of one dimension.
bool holds_a_row(const ctype& t) {
  const bool array = t.depth == 0 && std::count(t.suffix.begin(), t.suffix.end(), '[') == 1;
  return array || (t.depth == 1 && t.suffix.empty());
}

} // namespace

void forward_pointers(program& p, list& body) {
  for (auto& s : body) {
    forward_pointers(p, s.body.change());
    forward_pointers(p, s.otherwise.change());
  }
  for (size_t i = body.size(); i-- > 0;) { // what others are made of after them
    auto& s = body[i];
    if (s.kind != stmt_kind::declare || s.type.depth != 1 || !s.type.suffix.empty() || !s.has_value)
      continue;
    auto value = s.value;
    expr base = value;
    expr offset = make_literal(0);
    if (value.kind == expr_kind::binary && value.text == "+" && value.args[0].type.depth == 1) {
      base = value.args[0];
      offset = value.args[1];
      while (base.kind == expr_kind::binary && base.text == "+" && base.args[0].type.depth == 1
             && base.args[1].type.base == offset.type.base && !is_unsigned(offset.type.base)) { // x + i * cols + j
        offset = make_binary("+", base.args[1], offset);
        base = expr(base.args[0]);
      }
    } else if (value.kind == expr_kind::unary && value.text == "&" && value.args[0].kind == expr_kind::subscript) {
      base = value.args[0].args[0];
      offset = value.args[0].args[1];
    }
    base = expr(bare(base));
    if (base.kind != expr_kind::name || !holds_a_row(base.type) || base.type.base != s.type.base)
      continue;
    auto name = s.name;
    list rest(body.begin() + static_cast<ptrdiff_t>(i) + 1, body.end());
    auto used = rest; // what it is made of may change behind its last use
    while (!used.empty() && !mentions(used.back(), name))
      used.pop_back();
    if (assigned(p.body).count(name) != 0 || assigned(p.body).count(base.text) != 0 || !invariant(offset, used))
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
    // Pointers move by signed distances of any width; 32 unsigned bits would wrap.
    const auto wraps = [](const expr& a) { return is_unsigned(a.type.base) && bits(a.type.base) == 32; };
    const auto wide = [](const expr& a) {
      return bits(a.type.base) < 64 && !literal_value(a)
                 ? make_expr(expr_kind::cast, scalar_type(scalar_kind::i64), {a})
                 : a;
    };
    rewrite_exprs(rest, [&](expr& e) {
      if (e.kind == expr_kind::subscript && e.args[0].kind == expr_kind::name && e.args[0].text == name) {
        const auto& index = e.args[1];
        const bool widen = wraps(offset) || wraps(index);
        e.args = {base, literal_value(index) == 0 ? offset
                        : widen                   ? make_binary("+", wide(offset), wide(index))
                                                  : make_binary("+", offset, index)};
      }
    });
    body.resize(i);
    std::move(rest.begin(), rest.end(), std::back_inserter(body));
  }
}

namespace {

// Moves one declaration into the one nested list that uses it, if its first use there is a plain assignment. Iterations
// are then seen to be independent.
bool sink_declaration(list& body, size_t at) {
  auto name = body[at].name;
  if (body[at].has_value || body[at].is_static || !body[at].type.suffix.empty())
    return false;
  size_t user = 0;
  size_t users = 0;
  for (size_t i = at + 1; i < body.size(); ++i)
    if (mentions(body[i], name)) {
      user = i;
      ++users;
    }
  if (users != 1 || body[user].kind != stmt_kind::loop || !mentions(body[user].body, name)
      || mentions(body[user].from, name) || mentions(body[user].to, name))
    return false;
  auto& inner = body[user].body.change();
  for (auto& s : inner) {
    if (!mentions(s, name))
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

} // namespace

void sink_declarations(list& body) {
  for (size_t i = 0; i < body.size();)
    if (body[i].kind != stmt_kind::declare || !sink_declaration(body, i))
      ++i;
  for (auto& s : body) {
    sink_declarations(s.body.change());
    sink_declarations(s.otherwise.change());
  }
  // `T x; … x = e;` becomes `T x = e;` where nothing stands between.
  for (size_t i = 0; i + 1 < body.size(); ++i)
    for (size_t j = i + 1; j < body.size() && body[i].kind == stmt_kind::declare && !body[i].has_value; ++j) {
      if (!mentions(body[j], body[i].name))
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

} // namespace kevolve::transform
