#include "backends/generators/transform/moves/side_by_side.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

// Returns `while (any) { if (mine) …; if (yours) …; }`: independent searches in flight together.
stmt zip_whiles(std::vector<stmt> copies) {
  stmt out = copies[0];
  bool plain = std::all_of(copies.begin(), copies.end(), [](const stmt& s) { return is_speculable(s.value); });
  out.body.clear();
  for (size_t f = 0; f < copies.size(); ++f) {
    if (f > 0)
      out.value =
          make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {out.value, copies[f].value}, plain ? "|" : "||");
    stmt mine;
    mine.kind = stmt_kind::branch;
    mine.value = copies[f].value;
    mine.body = std::move(copies[f].body);
    out.body.change().push_back(std::move(mine));
  }
  return out;
}

bool all_same(const std::vector<stmt>& xs, expr stmt::* field) {
  return std::all_of(xs.begin(), xs.end(), [&](const stmt& s) { return same(s.*field, xs[0].*field); });
}

stmt zip_loops(program& p, std::vector<stmt> xs, const std::set<std::string>& shared) {
  std::vector<list> bodies;
  for (auto& x : xs) {
    if (x.name != xs[0].name)
      rename(x.body.change(), x.name, xs[0].name);
    bodies.push_back(x.body.take());
  }
  auto joined = xs[0];
  joined.body = zip(p, std::move(bodies), shared);
  return joined;
}

// Returns true if loops whose bounds differ can run together where they overlap.
bool may_overlap(const std::vector<stmt>& xs) {
  if (xs[0].kind != stmt_kind::loop)
    return false;
  const bool remainder = !xs[0].label.is_original(); // short
  const bool begin_together = all_same(xs, &stmt::from);
  return std::all_of(xs.begin(), xs.end(), [&](const stmt& x) {
    const bool meets = begin_together ? x.step == 1 || x.has_value : x.step == 1 && !remainder;
    return meets && x.step == xs[0].step && !is_unsigned(x.type.base) && bits(x.type.base) == 64
           && !is_unsigned(x.from.type.base) && !is_unsigned(x.to.type.base) && is_speculable(x.from)
           && is_speculable(x.to) && !leaves_early(x.body);
  });
}

// Triangles and bands: what all copies run over they run over together, what comes before and after one by one.
void zip_overlap(program& p, std::vector<stmt> xs, const std::set<std::string>& shared, list& out) {
  auto type = xs[0].type;
  type.is_const = true;
  const auto keep = [&](const char* which, const char* op, expr& so_far, const expr& other) { // the better of two
    auto better = make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {other, so_far}, op);
    auto value = make_expr(expr_kind::conditional, type, {std::move(better), other, so_far});
    so_far = make_name(fresh_name(p, xs[0].name + which), type);
    out.push_back(make_declare(so_far.text, type, std::move(value)));
  };
  const bool begin_together = all_same(xs, &stmt::from);
  auto begin = xs[0].from;
  auto end = xs[0].to;
  for (size_t f = 1; f < xs.size(); ++f) {
    if (!begin_together)
      keep("_begin", ">", begin, xs[f].from);
    keep("_end", "<", end, xs[f].to);
  }
  keep("_end", ">", end, begin);
  const auto part = [](stmt x, const expr& from, const expr& to) {
    x.from = from;
    x.to = to;
    x.has_value = false;
    return x;
  };
  std::vector<stmt> common;
  for (const auto& x : xs) {
    if (!begin_together) {
      out.push_back(part(x, x.from, make_expr(expr_kind::minimum, type, {begin, x.to})));
      out.back().label = out.back().label.with(loop_role::apart);
    }
    common.push_back(part(x, begin, end));
  }
  out.push_back(zip_loops(p, std::move(common), shared));
  for (const auto& x : xs) {
    out.push_back(part(x, end, x.to));
    out.back().label = out.back().label.with(loop_role::apart);
  }
}

void zip_position(program& p, std::vector<stmt> xs, const std::set<std::string>& shared, list& out) {
  if (xs[0].kind == stmt_kind::loop && all_same(xs, &stmt::from) && all_same(xs, &stmt::to)) {
    out.push_back(zip_loops(p, std::move(xs), shared));
    return;
  }
  if (may_overlap(xs)) {
    zip_overlap(p, std::move(xs), shared, out);
    return;
  }
  // One copy's break would end the others.
  const bool joins =
      xs[0].kind == stmt_kind::branch || (xs[0].kind == stmt_kind::while_loop && !leaves_early(xs[0].body));
  if (joins && all_same(xs, &stmt::value)) {
    std::vector<list> bodies;
    std::vector<list> others;
    for (auto& x : xs) {
      bodies.push_back(x.body.take());
      others.push_back(x.otherwise.take());
    }
    auto joined = xs[0];
    joined.body = zip(p, std::move(bodies), shared);
    joined.otherwise = zip(p, std::move(others), shared);
    out.push_back(std::move(joined));
    return;
  }
  if (xs[0].kind == stmt_kind::while_loop && !leaves_early(xs[0].body)) {
    out.push_back(zip_whiles(std::move(xs)));
    return;
  }
  std::move(xs.begin(), xs.end(), std::back_inserter(out));
}

} // namespace

// Returns the variables of a body that go through the same values in every iteration: made of nothing but each other
// and of what the loop leaves alone, under conditions of the same kind.
std::set<std::string> uniform_of(const stmt& loop) {
  const auto own = declared(loop.body);
  const auto changed = assigned(loop.body);
  std::set<std::string> out;
  walk(loop.body, [&](const stmt& s) {
    if (s.kind == stmt_kind::declare && s.has_value && s.type.suffix.empty() && s.type.depth == 0 && !s.is_static)
      out.insert(s.name);
  });
  const auto is_uniform = [&](const expr& whole) {
    bool ok = true;
    walk(whole, [&](const expr& e) {
      const bool fixed_array = e.kind == expr_kind::subscript && !root_of(e).empty() && own.count(root_of(e)) == 0;
      ok = ok && e.kind != expr_kind::opaque && e.kind != expr_kind::member && e.kind != expr_kind::call
           && (e.kind != expr_kind::subscript || fixed_array)
           && (e.kind != expr_kind::name || out.count(e.text) != 0
               || (e.text != loop.name && own.count(e.text) == 0 && changed.count(e.text) == 0));
    });
    return ok;
  };
  std::function<void(const list&, bool)> check = [&](const list& body, bool same_path) {
    for (const auto& s : body) {
      const auto& name = s.kind == stmt_kind::declare ? s.name : s.target.text;
      if (s.kind == stmt_kind::declare || (s.kind == stmt_kind::assign && s.target.kind == expr_kind::name))
        if (!same_path || !is_uniform(s.value))
          out.erase(name);
      for (const auto& changed_here : s.changes)
        out.erase(changed_here);
      const bool steady =
          is_uniform(s.value)
          && (s.kind == stmt_kind::branch || (s.kind == stmt_kind::while_loop && !leaves_early(s.body)));
      check(s.body, same_path && steady);
      check(s.otherwise, same_path && steady);
    }
  };
  for (size_t before = out.size() + 1; out.size() < before;) {
    before = out.size();
    check(loop.body, true);
  }
  return out;
}

// Returns copy number f of a body: the index moved on, its own variables renamed but those that all copies share.
list copy_of(program& p, const stmt& loop, int64_t f, const std::set<std::string>& shared) {
  list out = loop.body;
  if (f == 0)
    return out;
  // Indices keep their names: their scope is their own loop.
  std::map<std::string, std::string> names;
  walk(loop.body, [&](const stmt& s) {
    if (s.kind == stmt_kind::declare && shared.count(s.name) == 0)
      names.emplace(s.name, std::string{});
  });
  for (auto& [from, to] : names)
    to = fresh_name(p, from + "_" + std::to_string(f));
  rename(out, names);
  auto index = make_name(loop.name, loop.type);
  substitute(out, loop.name, make_binary("+", index, make_literal(f * loop.step)));
  return out;
}

// Puts the copies side by side, statement by statement; what is the same for all of them stands once.
list zip(program& p, std::vector<list> copies, const std::set<std::string>& shared) {
  list out;
  auto changed = assigned(copies[0]);
  for (size_t i = 0; i < copies[0].size(); ++i) {
    std::vector<stmt> xs;
    xs.reserve(copies.size());
    for (auto& c : copies)
      xs.push_back(std::move(c[i]));
    const bool is_shared = (xs[0].kind == stmt_kind::declare && shared.count(xs[0].name) != 0)
                           || (xs[0].kind == stmt_kind::assign && xs[0].target.kind == expr_kind::name
                               && shared.count(xs[0].target.text) != 0);
    if (is_shared) {
      out.push_back(std::move(xs[0]));
      continue;
    }
    if (xs[0].kind == stmt_kind::declare && xs[0].has_value && xs[0].type.suffix.empty() && all_same(xs, &stmt::value)
        && is_speculable(xs[0].value) && changed.count(xs[0].name) == 0) {
      for (size_t f = 1; f < copies.size(); ++f)
        rename(copies[f], xs[f].name, xs[0].name);
      out.push_back(std::move(xs[0]));
      continue;
    }
    zip_position(p, std::move(xs), shared, out);
  }
  return out;
}

} // namespace kevolve::transform
