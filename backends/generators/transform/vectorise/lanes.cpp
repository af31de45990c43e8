#include "backends/generators/transform/vectorise/lanes.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/analysis/partial_results.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

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

} // namespace

std::set<std::string> lane_state::names() const {
  std::set<std::string> out;
  for (const auto& r : sums)
    out.insert(r.name);
  for (const auto& c : choices)
    out.insert({c.best, c.at});
  return out;
}

// Returns the values that the loop carries, if they can be kept lane by lane.
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

// Returns the vectorised loop, before it a vector for each value it carries, after it their joining.
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

} // namespace kevolve::transform
