#include "backends/generators/transform/analysis.hpp"
#include "backends/generators/transform/build.hpp"

#include <algorithm>

namespace kevolve::transform {

namespace {

bool is_it(const expr& e, const std::string& name) {
  return bare(e).kind == expr_kind::name && bare(e).text == name;
}

// s > e ? s : e and its seven relatives; also with vectors (blend).
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
  // What is taken must be what was compared: no rounding, no wrapping in between.
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

std::optional<std::vector<reduction>> reductions(const stmt& loop, std::string& reason) {
  std::vector<reduction> out;
  auto locals = declared(loop.body);
  for (const auto& name : assigned(loop.body)) {
    if (locals.count(name) != 0)
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
