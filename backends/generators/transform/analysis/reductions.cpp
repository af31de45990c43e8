#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

bool is_it(const expr& e, const std::string& name) {
  return bare(e).kind == expr_kind::name && bare(e).text == name;
}

// Recognises s > e ? s : e and its seven relatives; also with vectors (blend).
std::optional<std::string> select_op(const expr& v, const std::string& name) {
  const auto& c = bare(v.args[0]);
  if (c.kind != expr_kind::binary || c.args.size() != 2)
    return {};
  bool greater = c.text == ">" || c.text == ">=";
  if (!greater && c.text != "<" && c.text != "<=")
    return {};
  const auto& a = c.args[0];
  const auto& b = c.args[1];
  if (is_it(a, name) == is_it(b, name) || mentions(is_it(a, name) ? b : a, name))
    return {};
  // The value that is taken must be the one that was compared: no rounding, no wrapping in between.
  const auto& other = is_it(a, name) ? b : a;
  const auto& mine = is_it(a, name) ? a : b;
  const auto kind = bare(mine).type.base;
  if (bare(other).type.base != kind && other.type.base != kind)
    return {};
  bool straight = same(a, v.args[1]) && same(b, v.args[2]);
  bool crossed = same(a, v.args[2]) && same(b, v.args[1]);
  if (!straight && !crossed)
    return {};
  return straight == greater ? "max" : "min";
}

} // namespace

std::optional<std::string> reduction_op(const stmt& s, const std::string& name) {
  if (s.kind != stmt_kind::assign || s.target.kind != expr_kind::name || s.target.text != name)
    return {};
  // Whole numbers that are rounded, and truth values, on every update have no partial results.
  const auto kind = s.target.type.base;
  if (s.target.type.depth != 0)
    return {};
  const bool rounds = is_integer(kind) && is_float(bare(s.value).type.base);
  if (rounds || (kind == scalar_kind::boolean && s.op != "&=" && s.op != "|="))
    return {};
  auto free = [&](const expr& e) { return !mentions(e, name); };
  if (s.op != "=") {
    if (!free(s.value))
      return {};
    if (s.op == "+=" || s.op == "-=")
      return "add";
    if (s.op == "*=")
      return "mul";
    if (s.op == "&=")
      return "and";
    if (s.op == "|=")
      return "or";
    if (s.op == "^=")
      return "xor";
    return {};
  }
  const auto& v = bare(s.value);
  if (v.kind == expr_kind::conditional || v.kind == expr_kind::blend)
    return select_op(v, name);
  if (v.args.size() != 2)
    return {};
  bool left = is_it(v.args[0], name) && free(v.args[1]);
  bool right = is_it(v.args[1], name) && free(v.args[0]);
  if (!left && !right)
    return {};
  if (v.kind == expr_kind::binary) {
    if (v.text == "+" || (v.text == "-" && left))
      return "add";
    if (v.text == "*")
      return "mul";
    if (v.text == "&")
      return "and";
    if (v.text == "|")
      return "or";
    if (v.text == "^")
      return "xor";
  }
  if ((v.kind == expr_kind::call && !v.computes) || v.kind == expr_kind::elementwise) {
    if (v.text == "fmaxf" || v.text == "fmax" || v.text == "max")
      return "max";
    if (v.text == "fminf" || v.text == "fmin" || v.text == "min")
      return "min";
  }
  return {};
}

namespace {

// Returns the comparison of `condition`, or of what it joins by &&, that says whether the value is better than the
// best.
std::optional<bool> asks_for_largest(const expr& condition, const expr& best, const expr& value) {
  const auto& c = bare(condition);
  if (c.kind != expr_kind::binary || c.args.size() != 2)
    return {};
  if (c.text == "&&") {
    const auto left = asks_for_largest(c.args[0], best, value);
    return left ? left : asks_for_largest(c.args[1], best, value);
  }
  // The value that is kept must be the one that was compared: no rounding, no wrapping in between.
  if ((c.text != ">" && c.text != "<") || c.args[0].type.base != best.type.base)
    return {};
  if (same(c.args[0], value) && same(c.args[1], best))
    return c.text == ">";
  if (same(c.args[1], value) && same(c.args[0], best))
    return c.text == "<";
  return {};
}

size_t mentions_of(const list& body, const std::string& name) {
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

} // namespace

bool is_index(const expr& value, const stmt& loop) {
  const expr* e = &value;
  while (e->kind == expr_kind::cast && is_integer(e->type.base) && bits(e->type.base) >= 32)
    e = &e->args[0];
  return e->kind == expr_kind::name && e->text == loop.name;
}

std::vector<selection> selections(const stmt& loop) {
  std::vector<selection> out;
  const auto own = declared(loop.body);
  walk(loop.body, [&](const stmt& s) {
    if (s.kind != stmt_kind::branch || !s.otherwise.empty() || s.body.size() != 2)
      return;
    for (const size_t first : {size_t{0}, size_t{1}}) {
      const auto& keeps = s.body[first];
      const auto& places = s.body[1 - first];
      const auto is_plain = [&](const stmt& x) {
        return x.kind == stmt_kind::assign && x.op == "=" && x.target.kind == expr_kind::name
               && x.target.type.lanes == 1 && own.count(x.target.text) == 0;
      };
      if (!is_plain(keeps) || !is_plain(places) || !is_index(places.value, loop) || !is_integer(places.target.type.base)
          || is_unsigned(places.target.type.base) || bits(places.target.type.base) < 32
          || bare(keeps.value).type.base != keeps.target.type.base)
        continue;
      const auto largest = asks_for_largest(s.value, keeps.target, keeps.value);
      const auto& best = keeps.target.text;
      const auto& at = places.target.text;
      if (!largest || best == at || mentions(keeps.value, best) || mentions_of(loop.body, best) != 2
          || mentions_of(loop.body, at) != 1)
        continue;
      out.push_back({best, at, keeps.target.type, places.target.type, *largest});
      return;
    }
  });
  return out;
}

std::optional<std::vector<reduction>> reductions(const stmt& loop, std::string& reason,
                                                 const std::set<std::string>& others) {
  std::vector<reduction> out;
  auto locals = declared(loop.body);
  for (const auto& name : assigned(loop.body)) {
    if (locals.count(name) != 0 || others.count(name) != 0)
      continue;
    reduction r;
    r.name = name;
    size_t in_updates = 0;
    size_t mentioned = 0;
    auto count = [&](const expr& e) {
      size_t n = 0;
      walk(e, [&](const expr& x) {
        n += (x.kind == expr_kind::name && x.text == name ? 1U : 0U)
             + static_cast<size_t>(std::count(x.names.begin(), x.names.end(), name));
      });
      return n;
    };
    bool ok = true;
    walk(loop.body, [&](const stmt& s) {
      size_t here = 0;
      for_each_expr(s, [&](const expr& e) { here += count(e); });
      here += static_cast<size_t>(std::count(s.names.begin(), s.names.end(), name));
      mentioned += here;
      if (s.kind == stmt_kind::assign && s.target.kind == expr_kind::name && s.target.text == name) {
        auto op = reduction_op(s, name);
        ok = ok && op && (r.op.empty() || r.op == *op);
        if (op)
          r.op = *op;
        r.type = s.target.type;
        in_updates += here;
      }
    });
    // A select mentions the scalar up to twice more than its target; all inside the update.
    if (!ok || r.op.empty() || mentioned != in_updates) {
      reason = name + " carries a value from one iteration to the next";
      return {};
    }
    out.push_back(std::move(r));
  }
  return out;
}

} // namespace kevolve::transform
