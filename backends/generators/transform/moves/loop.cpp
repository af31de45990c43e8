#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/moves.hpp"

#include <algorithm>
#include <iterator>

namespace kevolve::transform {

std::string base_label(const std::string& label) {
  auto end = label.find_last_of("0123456789");
  return end == std::string::npos ? label : label.substr(0, end + 1);
}

const loop_facts& facts_of(const environment& env, const std::string& label) {
  static const loop_facts unknown{false, "it is no loop of the reference", {}};
  auto it = env.facts.find(base_label(label));
  return it == env.facts.end() ? unknown : it->second;
}

bool may_reassociate(const environment& env, scalar_kind k) {
  if (is_integer(k))
    return true; // wraps the same way in any order (signed overflow is undefined in the reference too)
  for (const auto& a : env.task.arguments)
    if ((a.role == argument_role::output || a.role == argument_role::inout) && is_floating(a.type)
        && tolerance_for(env.task, a).mode == tolerance_mode::exact)
      return false;
  return true;
}

result<void> tile(program& p, const std::string& loop, int64_t size) {
  bool done = false;
  std::string reason = "no loop " + loop;
  for_each_labelled(p.body.change(), loop, [&](std::vector<stmt>& list, size_t at) -> size_t {
    auto& inner = list[at];
    bool twice = loop.size() > 2 && loop.substr(loop.size() - 2) == "tt";
    if (inner.kind != stmt_kind::loop || inner.to.kind == expr_kind::minimum || twice) {
      reason = loop + " is a tile already";
      return 1;
    }
    stmt outer;
    outer.kind = stmt_kind::loop;
    outer.label = loop + "t";
    outer.type = inner.type;
    outer.name = fresh_name(p, inner.name + "_tile");
    outer.from = inner.from;
    outer.to = inner.to;
    outer.step = size * inner.step;
    auto start = make_name(outer.name, inner.type);
    inner.from = start;
    inner.to =
        make_expr(expr_kind::minimum, inner.to.type, {make_binary("+", start, make_literal(outer.step)), inner.to});
    inner.has_value = false;
    inner.pragmas.clear();
    outer.body = {std::move(inner)};
    list[at] = std::move(outer);
    done = true;
    return 1;
  });
  if (!done)
    return fail(errc::unsupported, reason);
  return {};
}

result<void> interchange(program& p, const std::string& outer, const std::string& inner, const environment& env) {
  const auto& facts = facts_of(env, outer);
  if (base_label(outer) == base_label(inner))
    return fail(errc::unsupported, inner + " is a part of " + outer);
  if (!facts.independent && facts.outranked_by.count(base_label(inner)) == 0)
    return fail(errc::unsupported, outer + " carries a dependence: " + facts.reason);
  bool done = false;
  std::string reason = inner + " is not alone inside " + outer;
  for_each_labelled(p.body.change(), outer, [&](std::vector<stmt>& list, size_t at) -> size_t {
    auto& a = list[at];
    if (a.kind != stmt_kind::loop || a.body.size() != 1 || a.body[0].label != inner
        || a.body[0].kind != stmt_kind::loop)
      return 1;
    const auto& b = a.body[0];
    if (mentions(b.from, a.name) || mentions(b.to, a.name)) {
      reason = "the bounds of " + inner + " depend on " + outer;
      return 1;
    }
    std::string why;
    auto carried = reductions(a, why);
    if (!carried) {
      reason = why;
      return 1;
    }
    for (const auto& r : *carried)
      if (!may_reassociate(env, r.type.base)) {
        reason = "the result must be exact, and " + r.name + " would be summed in another order";
        return 1;
      }
    auto new_outer = b;
    auto new_inner = a;
    new_inner.body = std::move(new_outer.body);
    new_outer.body = {std::move(new_inner)};
    list[at] = std::move(new_outer);
    done = true;
    return 1;
  });
  if (!done)
    return fail(errc::unsupported, reason);
  return {};
}

namespace {

bool is_innermost(const stmt& loop) {
  bool innermost = true;
  walk(loop.body,
       [&](const stmt& s) { innermost = innermost && s.kind != stmt_kind::loop && s.kind != stmt_kind::while_loop; });
  return innermost;
}

// A floating value that the loop carries from one iteration to the next; empty: none.
std::string carried_float(const stmt& loop) {
  std::string out;
  const auto own = declared(loop.body);
  walk(loop.body, [&](const stmt& s) {
    if (s.kind != stmt_kind::assign || !is_float(s.target.type.base) || mentions(s.target, loop.name))
      return;
    if (s.target.kind != expr_kind::name)
      out = root_of(s.target);
    else if (own.count(s.target.text) == 0)
      out = s.target.text;
  });
  return out;
}

} // namespace

result<void> hint(program& p, const std::string& loop, int64_t width, int64_t interleave, const environment& env) {
  bool done = false;
  std::string reason = "no innermost loop " + loop;
  for_each_labelled(p.body.change(), loop, [&](std::vector<stmt>& list, size_t at) -> size_t {
    auto& l = list[at];
    if (l.kind != stmt_kind::loop || l.lanes > 1 || !is_innermost(l) || !l.pragmas.empty())
      return 1;
    // What asks clang to vectorise also lets it sum in another order.
    if (const auto sum = carried_float(l); width > 1 && !sum.empty() && !may_reassociate(env, scalar_kind::f32)) {
      reason = "the result must be exact, and " + sum + " would be summed in another order";
      return 1;
    }
    // clang 19 forced to vectorise takes accesses for independent whose distance its step does not divide.
    if (width > 1 && l.step > 1 && !facts_of(env, loop).independent) {
      reason = loop + " carries a dependence and is unrolled";
      return 1;
    }
    auto how = facts_of(env, loop).independent ? "assume_safety" : "enable";
    if (width == 1)
      l.pragmas = {"clang loop vectorize(disable) interleave(disable)"};
    else
      l.pragmas = {"clang loop vectorize(" + std::string{how} + ") vectorize_width(" + std::to_string(width)
                   + ") interleave_count(" + std::to_string(interleave) + ")"};
    done = true;
    return 1;
  });
  if (!done)
    return fail(errc::unsupported, reason);
  return {};
}

result<void> run_parallel(program& p, const std::string& loop, const environment& env) {
  if (!env.task.threads)
    return fail(errc::unsupported, "the task allows no threads");
  const auto& facts = facts_of(env, loop);
  if (!facts.independent)
    return fail(errc::unsupported, loop + " carries a dependence: " + facts.reason);
  bool nested = false;
  walk(p.body, [&](const stmt& s) {
    for (const auto& pragma : s.pragmas)
      nested = nested || pragma.rfind("omp", 0) == 0;
  });
  if (nested)
    return fail(errc::unsupported, "one loop runs in parallel already");
  bool done = false;
  std::string reason = "no loop " + loop;
  for_each_labelled(p.body.change(), loop, [&](std::vector<stmt>& list, size_t at) -> size_t {
    if (streams_past(list[at])) {
      reason = loop + " streams, and each thread would need its fence";
      return 1;
    }
    auto carried = list[at].kind == stmt_kind::loop ? reductions(list[at], reason) : std::nullopt;
    if (!carried)
      return 1;
    if (!carried->empty()) {
      reason = carried->front().name + " is shared between iterations";
      return 1;
    }
    list[at].pragmas = {"omp parallel for schedule(static)"};
    done = true;
    return 1;
  });
  if (!done)
    return fail(errc::unsupported, reason);
  return {};
}

namespace {

// Whether C compares the two as unsigned numbers.
bool compares_unsigned(const expr& a, const expr& b) {
  const auto decides = [](const expr& x, const expr& y) {
    return is_unsigned(x.type.base) && bits(x.type.base) >= 32 && bits(x.type.base) >= bits(y.type.base);
  };
  return decides(bare(a), bare(b)) || decides(bare(b), bare(a));
}

// The branch's condition as `index < bound`, or `index <= bound`, with bound fixed in the loop.
struct limit {
  expr bound;
  bool including = false;
  bool turned = false; // the condition holds where this does not
};

std::optional<limit> threshold(const stmt& branch, const stmt& loop) {
  const auto& c = bare(branch.value);
  if (c.kind != expr_kind::binary || c.args.size() != 2)
    return {};
  auto op = c.text;
  auto left = bare(c.args[0]);
  auto right = bare(c.args[1]);
  if (right.kind == expr_kind::name && right.text == loop.name) {
    std::swap(left, right);
    op = op == "<" ? ">" : op == ">" ? "<" : op == "<=" ? ">=" : op == ">=" ? "<=" : "";
  }
  if (left.kind != expr_kind::name || left.text != loop.name || !is_speculable(right) || mentions(right, loop.name))
    return {};
  auto changed = assigned(loop.body);
  auto inside = declared(loop.body);
  bool fixed = true;
  walk(right, [&](const expr& e) {
    fixed = fixed && (e.kind != expr_kind::name || (changed.count(e.text) == 0 && inside.count(e.text) == 0));
  });
  if (!fixed)
    return {};
  const auto& x = bare(right);
  if (!is_integer(x.type.base) || compares_unsigned(left, x) || compares_unsigned(x, loop.to)
      || compares_unsigned(left, loop.to) || compares_unsigned(left, loop.from))
    return {};
  if (op == "<" || op == ">=")
    return limit{right, false, op == ">="};
  if (op == "<=" || op == ">")
    return limit{right, true, op == ">"};
  return {};
}

} // namespace

result<void> cut(program& p, const std::string& loop, const std::string& branch) {
  bool done = false;
  std::string reason = "no branch " + branch + " right inside " + loop;
  for_each_labelled(p.body.change(), loop, [&](std::vector<stmt>& list, size_t at) -> size_t {
    auto& l = list[at];
    if (l.kind != stmt_kind::loop || l.step != 1 || is_unsigned(l.type.base))
      return 1;
    auto it = std::find_if(l.body.begin(), l.body.end(),
                           [&](const stmt& s) { return s.kind == stmt_kind::branch && s.label == branch; });
    if (it == l.body.end())
      return 1;
    bool copyable = true; // a label must not stand twice
    walk(l.body, [&](const stmt& s) { copyable = copyable && s.kind != stmt_kind::opaque; });
    if (!copyable) {
      reason = loop + " holds a construct left as it is";
      return 1;
    }
    auto bound = threshold(*it, l);
    if (!bound) {
      reason = "the condition of " + branch + " does not compare " + l.name + " with something fixed";
      return 1;
    }
    auto index = it - l.body.begin();
    // middle = bound, kept within [from, to]
    auto int_type = scalar_type(scalar_kind::i32);
    auto below = make_expr(expr_kind::binary, int_type, {bound->bound, l.to}, "<");
    auto after = bound->including ? make_binary("+", bound->bound, make_literal(1)) : bound->bound; // below the end
    auto name = fresh_name(p, l.name + "_cut");
    auto type =
        bits(bare(bound->bound).type.base) > bits(l.type.base) ? scalar_type(bare(bound->bound).type.base) : l.type;
    auto upper = make_expr(expr_kind::conditional, type, {below, after, l.to});
    auto declare = make_declare(name, type, upper);
    auto middle = make_name(name, type);
    auto under = make_expr(expr_kind::binary, int_type, {middle, l.from}, "<");
    stmt clamp;
    clamp.kind = stmt_kind::branch;
    clamp.value = under;
    clamp.body = {make_assign(middle, "=", l.from)};
    auto splice = [&](stmt s, bool taken) {
      auto& inside = s.body.change();
      auto b = std::move(inside[static_cast<size_t>(index)]);
      auto arm = (taken != bound->turned ? b.body : b.otherwise).take();
      inside.erase(inside.begin() + index);
      inside.insert(inside.begin() + index, std::make_move_iterator(arm.begin()), std::make_move_iterator(arm.end()));
      return s;
    };
    auto first = splice(l, true);
    auto second = splice(l, false);
    first.to = middle;
    second.from = middle;
    first.has_value = second.has_value = false;
    second.label = loop + "c";
    std::vector<stmt> parts{declare, clamp, first, second};
    list.erase(list.begin() + static_cast<ptrdiff_t>(at));
    list.insert(list.begin() + static_cast<ptrdiff_t>(at), parts.begin(), parts.end());
    done = true;
    return parts.size();
  });
  if (!done)
    return fail(errc::unsupported, reason);
  return {};
}

} // namespace kevolve::transform
