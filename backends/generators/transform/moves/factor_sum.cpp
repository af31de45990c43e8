// factor_sum(L): the distributive law over a reduction. What L multiplies every term of a sum by, and leaves alone,
// multiplies the sum once, after L.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/effects.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/analysis/partial_results.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/factors.hpp"
#include "backends/generators/transform/moves/rewriting.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

bool holds(const std::vector<expr>& all, const expr& e) {
  return std::any_of(all.begin(), all.end(), [&](const expr& x) { return same(x, e); });
}

// The terms that the loop adds to the scalar, and the factors that all of them have and the loop leaves alone.
struct common_factors {
  std::vector<expr> factors;
  bool reads_otherwise = false; // some update is no `sum += term`
};

common_factors factors_in(const stmt& loop, const reduction& sum) {
  const auto changed = changed_in(loop);
  const auto fixed = [&](const expr& e) { return stays_in(e, changed); };
  common_factors out;
  bool first = true;
  walk(loop.body, [&](const stmt& s) {
    if (s.kind != stmt_kind::assign || s.target.kind != expr_kind::name || s.target.text != sum.name)
      return;
    const bool rounds = s.value.type.base != sum.type.base || bare(s.value).type.base != sum.type.base;
    out.reads_otherwise = out.reads_otherwise || (s.op != "+=" && s.op != "-=") || rounds;
    const auto all = factors_of(s.value, fixed);
    if (first) {
      std::copy_if(all.begin(), all.end(), std::back_inserter(out.factors), fixed);
      if (out.factors.size() == all.size()) // a term that is the same in all iterations
        out.factors.clear();
    } else
      std::erase_if(out.factors, [&](const expr& f) { return !holds(all, f); });
    first = false;
  });
  if (out.reads_otherwise)
    out.factors.clear();
  return out;
}

// Returns the term without one of each of the factors; 1 if nothing is left.
expr without(const expr& term, std::vector<expr> factors, const std::set<std::string>& changed) {
  std::vector<expr> rest;
  for (const auto& f : factors_of(term, [&](const expr& e) { return stays_in(e, changed); })) {
    const auto it = std::find_if(factors.begin(), factors.end(), [&](const expr& x) { return same(x, f); });
    if (it == factors.end())
      rest.push_back(f);
    else
      factors.erase(it);
  }
  return rest.empty() ? make_literal(1, term.type.base) : product_of(rest, term.type);
}

std::vector<reduction> float_sums(const stmt& loop, std::string& reason) {
  auto all = reductions(loop, reason).value_or(std::vector<reduction>{});
  std::erase_if(all, [](const reduction& r) { return r.op != "add" || !is_float(r.type.base) || r.type.lanes > 1; });
  return all;
}

// Takes the factors out of all sums of the loop; empty: there are none.
list factored(program& p, const stmt& l, std::string& reason) {
  auto loop = l;
  const auto changed = changed_in(l);
  list before;
  list after;
  for (const auto& sum : float_sums(l, reason)) {
    const auto common = factors_in(l, sum);
    if (common.factors.empty())
      continue;
    auto type = sum.type;
    type.is_const = false;
    const auto part = make_name(fresh_name(p, sum.name + "_unscaled"), type);
    rewrite(loop.body.change(), [&](stmt& s) {
      if (s.kind != stmt_kind::assign || s.target.kind != expr_kind::name || s.target.text != sum.name)
        return;
      s.target = part;
      s.value = without(s.value, common.factors, changed);
    });
    before.push_back(make_declare(part.text, type, reduction_start(sum)));
    auto factors = common.factors;
    factors.push_back(part);
    after.push_back(make_assign(make_name(sum.name, type), "+=", product_of(factors, type)));
  }
  if (before.empty())
    return {};
  before.push_back(std::move(loop));
  std::move(after.begin(), after.end(), std::back_inserter(before));
  return before;
}

result<void> factor_sum(program& p, const loop_label& label, const environment& env) {
  return reassociate_in(p, label, env, [&](program& changed, const stmt& l) -> result<list> {
    if (leaves_early(l.body))
      return fail(errc::unsupported, label + " can be left early");
    std::string reason = label + " adds up nothing that has a factor which " + label + " leaves alone";
    auto out = factored(changed, l, reason);
    if (out.empty())
      return fail(errc::unsupported, reason);
    return out;
  });
}

} // namespace

constinit const move_descriptor moves::factor_sum{
    .name = "factor_sum",
    .takes = {a_loop},
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::factor_sum(p, a.label(0), env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          std::string reason;
          const auto sums = float_sums(at.here, reason);
          if (!is_vectorised(at.here) && std::any_of(sums.begin(), sums.end(), [&](const reduction& r) {
                return !factors_in(at.here, r).factors.empty();
              }))
            out.add(0.4 * at.loop->interest, {at.here.label});
        },
};

} // namespace kevolve::transform
