// split_index_set(L, B): index-set splitting. L is cut where the branch B changes its answer, and each part keeps one
// arm.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::transform {

namespace {

// Returns true if C compares the two as unsigned numbers.
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

result<void> split_index_set(program& p, const loop_label& loop, const loop_label& branch) {
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
    second.label = loop.with(loop_role::second_part);
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

} // namespace

constinit const move_descriptor moves::split_index_set{
    .name = "split_index_set",
    .former_name = "cut",
    .takes = {a_loop, a_branch},
    .where = site_kind::statement,
    .apply = [](program& p, const move_arguments& a, const environment&) -> result<void> {
      return transform::split_index_set(p, a.label(0), a.label(1));
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          const auto& s = at.here;
          if (s.kind != stmt_kind::loop)
            return;
          for (const auto& x : s.body)
            if (x.kind == stmt_kind::branch && !x.label.empty() && s.step == 1 && out.once(s.label + "/" + x.label))
              out.add(1.0, {s.label, x.label});
        },
};

} // namespace kevolve::transform
