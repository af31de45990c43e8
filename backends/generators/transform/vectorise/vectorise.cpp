// Vectorises a loop at any depth: `lanes` iterations side by side in vector values; what does not depend on the
// iteration stays scalar, inner loops with common bounds stay loops, and conditions become masks.
#include "backends/generators/transform/analysis/bounds.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/moves.hpp"
#include "backends/generators/transform/vectorise/vectoriser.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

namespace kevolve::transform {

using list = std::vector<stmt>;

namespace {

struct lane_state {
  std::vector<reduction> sums;
  std::vector<selection> choices;

  std::set<std::string> names() const {
    std::set<std::string> out;
    for (const auto& r : sums)
      out.insert(r.name);
    for (const auto& c : choices)
      out.insert({c.best, c.at});
    return out;
  }
};

// What the loop carries, if it can be kept lane by lane.
std::optional<lane_state> carried_by(const stmt& l, const environment& env, std::string& reason) {
  lane_state out{{}, selections(l)};
  auto sums = reductions(l, reason, out.names());
  if (!sums)
    return {};
  for (const auto& r : *sums)
    if (r.op == "xor" || !may_reassociate(env, r.type.base) || r.type.lanes > 1) {
      reason = r.name + " cannot be split into lanes";
      return {};
    }
  out.sums = std::move(*sums);
  return out;
}

expr largest_of(scalar_kind k) {
  return make_literal(bits(k) == 64 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int32_t>::max(), k);
}

// Each lane has its own best and the first place of it: the best of these, and the first of the places that have it.
void join_choice(program& p, const selection& c, const expr& best_lanes, const expr& at_lanes, list& out) {
  const auto best = make_name(c.best, scalar_type(c.best_type.base));
  const auto at = make_name(c.at, scalar_type(c.at_type.base));
  auto type = best.type;
  type.is_const = true;
  const auto top = make_name(fresh_name(p, c.best + "_top"), type);
  out.push_back(
      make_declare(top.text, type, make_expr(expr_kind::fold, best.type, {best_lanes}, c.largest ? "max" : "min")));
  auto mask = best_lanes.type;
  mask.base = mask_kind(mask.base);
  mask.is_mask = true;
  auto has_it =
      make_expr(expr_kind::binary, mask, {best_lanes, make_expr(expr_kind::splat, best_lanes.type, {top})}, "==");
  if (mask.base != mask_kind(c.at_type.base)) {
    mask.base = mask_kind(c.at_type.base);
    has_it = make_expr(expr_kind::convert, mask, {std::move(has_it)});
  }
  auto none = make_expr(expr_kind::splat, at_lanes.type, {largest_of(c.at_type.base)});
  auto places = make_expr(expr_kind::blend, at_lanes.type, {std::move(has_it), at_lanes, std::move(none)});
  auto first = make_expr(expr_kind::fold, at.type, {std::move(places)}, "min");
  const auto better = make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {top, best}, c.largest ? ">" : "<");
  out.push_back(make_assign(at, "=", make_expr(expr_kind::conditional, at.type, {better, std::move(first), at})));
  out.push_back(make_assign(best, "=", make_expr(expr_kind::conditional, best.type, {better, top, best})));
}

// The vectorised loop, before it a vector for each value it carries, after it their joining.
list with_partial_results(program& p, stmt main, const lane_state& carried) {
  list out;
  list after;
  for (const auto& c : carried.choices) {
    const auto lanes_of = [&](const std::string& name, scalar_kind k) {
      auto type = scalar_type(k);
      const auto start = make_name(name, type);
      type.lanes = main.lanes;
      const auto lanes = make_name(fresh_name(p, name + "_lanes"), type);
      rename(main.body.change(), name, lanes.text);
      out.push_back(make_declare(lanes.text, type, make_expr(expr_kind::splat, type, {start})));
      return lanes;
    };
    const auto best = lanes_of(c.best, c.best_type.base);
    join_choice(p, c, best, lanes_of(c.at, c.at_type.base), after);
  }
  for (const auto& r : carried.sums) {
    auto type = scalar_type(r.type.base);
    type.lanes = main.lanes;
    auto name = fresh_name(p, r.name + "_lanes");
    rename(main.body.change(), r.name, name);
    out.push_back(make_declare(name, type, make_expr(expr_kind::splat, type, {reduction_start(r)})));
    after.push_back(
        reduction_join(r, make_expr(expr_kind::fold, scalar_type(r.type.base), {make_name(name, type)}, r.op)));
  }
  for (const auto& name : declared(main.body)) // masks
    if (std::find(p.taken.begin(), p.taken.end(), name) == p.taken.end())
      p.taken.push_back(name);
  out.push_back(std::move(main));
  std::move(after.begin(), after.end(), std::back_inserter(out));
  return out;
}

// How many iterations are left, at most `lanes`, as the first statement of each.
stmt count_left(program& p, const stmt& l, int64_t lanes) {
  auto type = scalar_type(scalar_kind::i32);
  const auto left = make_expr(expr_kind::binary, l.to.type, {l.to, make_name(l.name, l.type)}, "-");
  const auto fewer = make_expr(expr_kind::binary, type, {left, make_literal(lanes)}, "<");
  return make_declare(fresh_name(p, l.name + "_left"), type,
                      make_expr(expr_kind::cast, type,
                                {make_expr(expr_kind::conditional, left.type, {fewer, left, make_literal(lanes)})}));
}

} // namespace

result<void> vectorise(program& p, const std::string& loop, int64_t lanes, const environment& env) {
  const auto& facts = facts_of(env, loop);
  if (!facts.independent)
    return fail(errc::unsupported, loop + " carries a dependence: " + facts.reason);
  bool done = false;
  std::string reason = "no loop " + loop;
  const auto before = p.body;
  const auto within = reads_within(p, loop, env.task);
  for_each_labelled(p.body.change(), loop, [&](list& where, size_t at) -> size_t {
    const auto l = where[at];
    if (l.kind != stmt_kind::loop || l.lanes > 1) {
      reason = loop + " is vectorised already";
      return 1;
    }
    if (l.step != 1) {
      reason = loop + " is unrolled already";
      return 1;
    }
    auto carried = carried_by(l, env, reason);
    if (!carried)
      return 1;
    try {
      auto parts = divide(l, lanes);
      if (!parts) {
        reason = parts.error().detail;
        return 1;
      }
      auto& main = (*parts)[0];
      auto summed = l;
      sum_unsigned(summed, carried->sums);
      main.body = vectoriser(summed, static_cast<uint16_t>(lanes), carried->names(), within).run();
      main.lanes = static_cast<uint16_t>(lanes);
      main.pragmas.clear();
      auto out = with_partial_results(p, std::move(main), *carried);
      if (parts->size() > 1)
        out.push_back(std::move((*parts)[1]));
      auto n = out.size();
      where.erase(where.begin() + static_cast<ptrdiff_t>(at));
      where.insert(where.begin() + static_cast<ptrdiff_t>(at), std::make_move_iterator(out.begin()),
                   std::make_move_iterator(out.end()));
      done = true;
      return n;
    } catch (const refusal& r) {
      reason = r.reason;
      return 1;
    }
  });
  if (!done)
    return fail(errc::unsupported, reason);
  if (weight(p.body) > weight_limit) { // loads lane by lane
    p.body = before;
    return fail(errc::unsupported, "the code would grow too long");
  }
  return {};
}

result<void> mask(program& p, const std::string& loop, const environment& env) {
  int64_t lanes = 0;
  walk(p.body, [&](const stmt& s) {
    if (s.kind == stmt_kind::loop && s.label == loop)
      lanes = std::max<int64_t>(lanes, s.lanes);
  });
  if (lanes < 2)
    return fail(errc::unsupported, loop + " is not vectorised");
  const auto within = reads_within(p, loop + "r", env.task);
  return replace(p, loop + "r", 1, [&](const stmt& l) -> result<list> {
    if (l.lanes > 1 || l.step != 1)
      return fail(errc::unsupported, "what remains of " + loop + " does not run one by one");
    std::string reason;
    auto carried = carried_by(l, env, reason);
    if (!carried)
      return fail(errc::unsupported, reason);
    auto count = count_left(p, l, lanes);
    auto main = l;
    sum_unsigned(main, carried->sums);
    try {
      main.body =
          vectoriser(main, static_cast<uint16_t>(lanes), carried->names(), within, make_name(count.name, count.type))
              .run();
    } catch (const refusal& r) {
      return fail(errc::unsupported, r.reason);
    }
    main.body.change().insert(main.body.change().begin(), std::move(count));
    main.lanes = static_cast<uint16_t>(lanes);
    main.step = lanes;
    main.has_value = false;
    main.pragmas.clear();
    return with_partial_results(p, std::move(main), *carried);
  });
}

} // namespace kevolve::transform
