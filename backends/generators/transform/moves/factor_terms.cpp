// factor_terms(L): the distributive law within an expression: a * x + a * y, anywhere in L, becomes a * (x + y).
#include "backends/generators/transform/analysis/effects.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/factors.hpp"
#include "backends/generators/transform/moves/rewriting.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

struct term {
  bool negative = false;
  expr value;
  std::vector<expr> factors;
};

bool is_sum(const expr& e) {
  return e.kind == expr_kind::binary && (e.text == "+" || e.text == "-") && is_float(e.type.base) && e.type.lanes == 1
         && e.args[0].type.base == e.type.base && e.args[1].type.base == e.type.base;
}

void collect(const expr& e, bool negative, std::vector<term>& out) {
  const auto& x = bare(e);
  if (!is_sum(x) || x.type.base != e.type.base) {
    out.push_back({negative, e, factors_of(e)});
    return;
  }
  collect(x.args[0], negative, out);
  collect(x.args[1], negative != (x.text == "-"), out);
}

bool has(const term& t, const expr& factor) {
  return t.factors.size() > 1
         && std::any_of(t.factors.begin(), t.factors.end(), [&](const expr& f) { return same(bare(f), bare(factor)); });
}

// Returns the factor that most of the terms have, two at least; of equal ones the first.
std::optional<expr> common_factor(const std::vector<term>& terms) {
  std::optional<expr> best;
  ptrdiff_t most = 1;
  for (const auto& t : terms)
    for (const auto& f : t.factors)
      if (const auto n = std::count_if(terms.begin(), terms.end(), [&](const term& x) { return has(x, f); });
          n > most && only_computes(f)) {
        most = n;
        best = f;
      }
  return best;
}

// Returns the sum of the terms, the first positive one in front; of negative ones alone there is none.
std::optional<expr> sum_of(std::vector<term> terms, const ctype& type) {
  const auto first = std::find_if(terms.begin(), terms.end(), [](const term& t) { return !t.negative; });
  if (first == terms.end())
    return {};
  std::rotate(terms.begin(), first, first + 1);
  auto out = terms.front().value;
  for (size_t i = 1; i < terms.size(); ++i)
    out = make_expr(expr_kind::binary, scalar_type(type.base), {std::move(out), terms[i].value},
                    terms[i].negative ? "-" : "+");
  return out;
}

// Returns the sum with one common factor taken out; nothing: its terms have none.
std::optional<expr> factored(const expr& e) {
  if (!is_sum(e))
    return {};
  std::vector<term> terms;
  collect(e, false, terms);
  const auto factor = common_factor(terms);
  if (!factor)
    return {};
  std::vector<term> inside;
  std::vector<term> outside;
  for (auto& t : terms) {
    if (!has(t, *factor)) {
      outside.push_back(std::move(t));
      continue;
    }
    t.factors.erase(
        std::find_if(t.factors.begin(), t.factors.end(), [&](const expr& f) { return same(bare(f), bare(*factor)); }));
    t.value = product_of(t.factors, e.type);
    inside.push_back(std::move(t));
  }
  const bool negative = std::all_of(inside.begin(), inside.end(), [](const term& t) { return t.negative; });
  if (negative)
    for (auto& t : inside)
      t.negative = false;
  const auto sum = sum_of(std::move(inside), e.type);
  outside.push_back({negative, product_of({*factor, *sum}, e.type), {}});
  return sum_of(std::move(outside), e.type);
}

bool factor_all(list& body) {
  bool done = false;
  rewrite_exprs(body, [&](expr& e) {
    for (auto next = factored(e); next; next = factored(e)) {
      e = std::move(*next);
      done = true;
    }
  });
  return done;
}

result<void> factor_terms(program& p, const loop_label& label, const environment& env) {
  if (!may_reassociate(env, scalar_kind::f32))
    return fail(errc::unsupported, "the result must be exact");
  return replace(p, label, 0, [&](const stmt& l) -> result<list> {
    if (is_vectorised(l))
      return fail(errc::unsupported, label + " is vectorised already");
    list out{l};
    if (!factor_all(out[0].body.change()))
      return fail(errc::unsupported, label + " adds no products that have a factor in common");
    return out;
  });
}

} // namespace

constinit const move_descriptor moves::factor_terms{
    .name = "factor_terms",
    .takes = {a_loop},
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::factor_terms(p, a.label(0), env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          bool found = false;
          if (at.loop->is_outermost && !is_vectorised(at.here))
            walk_exprs(at.here.body, [&](const expr& e) { found = found || factored(e).has_value(); });
          if (found)
            out.add(0.3, {at.here.label});
        },
};

} // namespace kevolve::transform
