// reassociate(array): the product of three matrices by way of the other intermediate result: (A B) C as A (B C).
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/product_chain.hpp"
#include "backends/generators/transform/moves/rewriting.hpp"
#include "runtime/base/expression.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

constexpr int64_t most_bytes = 1 << 19; // of the other intermediate result, on the stack

expr wide(const expr& size) {
  const auto i64 = scalar_type(scalar_kind::i64);
  if (literal_value(size) || bare(size).type.base == scalar_kind::i64)
    return size;
  return make_expr(expr_kind::cast, i64, {size});
}

// Multiplications that each order takes: as written, and the other way.
std::pair<expr, expr> costs_of(const product_chain& c) {
  const auto times = [](expr a, expr b) { return make_binary("*", std::move(a), std::move(b)); };
  const auto plus = [](expr a, expr b) { return make_binary("+", std::move(a), std::move(b)); };
  const auto q = wide(c.q->to);
  const auto k = wide(c.k->to);
  const auto r = wide(c.r->to);
  const auto s = wide(c.s->to);
  return {times(times(s, r), plus(k, q)), times(times(q, k), plus(s, r))};
}

// The other order for one chain; lives for one application of the move.
class reordering {
public:
  reordering(program& p, const product_chain& chain, const list& where, const std::string& array)
      : c_(chain), where_(where), type_(scalar_type(chain.element)),
        q_(make_name(fresh_name(p, chain.q->name), chain.q->type)),
        k_(make_name(fresh_name(p, chain.k->name), chain.k->type)),
        s_(make_name(fresh_name(p, chain.s->name), chain.s->type)),
        sum_(make_name(fresh_name(p, array + "_sum"), type_)),
        array_(make_name(fresh_name(p, array + "_other"), type_)) {
    array_.type.suffix = "[" + print(count()) + "]";
  }

  // Takes the place of the second product; the first is to go.
  stmt run() const {
    const auto [written, other] = costs_of(c_);
    stmt choice;
    choice.kind = stmt_kind::branch;
    choice.value = both(both(compare("<", make_literal(0), count()),
                             compare("<=", count(), make_literal(most_bytes * 8 / bits(c_.element)))),
                        compare("<", other, written));
    auto second = where_[c_.use];
    take_sum(second);
    choice.body = {make_declare(array_.text, array_.type, {}), first(), std::move(second)};
    list before;
    for (auto i : {c_.first, c_.product})
      if (before.empty() || i != c_.first)
        before.push_back(as_it_was(where_[i]));
    before.push_back(as_it_was(where_[c_.use]));
    choice.otherwise = std::move(before);
    return choice;
  }

private:
  static expr compare(const char* op, expr a, expr b) {
    return make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {std::move(a), std::move(b)}, op);
  }
  static expr both(expr a, expr b) { return compare("&&", std::move(a), std::move(b)); }

  expr count() const { return make_binary("*", wide(c_.q->to), wide(c_.k->to)); }

  // Returns the intermediate result at [q,k].
  expr element(const expr& q) const {
    auto at = make_binary("+", make_binary("*", q, c_.k->to), k_);
    return make_expr(expr_kind::subscript, type_, {array_, std::move(at)});
  }

  static stmt loop_over(const expr& index, const stmt& like, const loop_label& label, list body) {
    stmt out;
    out.kind = stmt_kind::loop;
    out.label = label;
    out.line = like.line;
    out.name = index.text;
    out.type = index.type;
    out.from = make_literal(0);
    out.to = like.to;
    out.body = std::move(body);
    return out;
  }

  // Returns the sums over s of c[q,s] * u[s,k].
  stmt first() const {
    auto c = c_.c;
    substitute(c, c_.q->name, q_);
    substitute(c, c_.s->name, s_);
    auto u = c_.u;
    substitute(u, c_.s_in_first, s_);
    substitute(u, c_.k->name, k_);
    auto product = make_expr(expr_kind::binary, type_, {std::move(c), std::move(u)}, "*");
    auto over_s = loop_over(s_, *c_.s, c_.k->label, {make_assign(sum_, "+=", std::move(product))});
    list body{make_declare(sum_.text, type_, make_literal(0)), std::move(over_s), make_assign(element(q_), "=", sum_)};
    auto over_k = loop_over(k_, *c_.k, c_.columns->label, std::move(body));
    return loop_over(q_, *c_.q, c_.rows->label, {std::move(over_k)});
  }

  // In the second product the loop over s becomes one over k of [q,k] * v[r,k].
  void take_sum(stmt& nest) const {
    if (nest.label != c_.s->label) {
      for (auto& s : nest.body.change())
        if (s.kind == stmt_kind::loop)
          take_sum(s);
      return;
    }
    auto v = c_.v;
    substitute(v, c_.k->name, k_);
    substitute(v, c_.r_in_first, make_name(c_.r->name, c_.r->type));
    auto update = *c_.update;
    update.value = make_expr(expr_kind::binary, type_, {element(make_name(c_.q->name, c_.q->type)), std::move(v)}, "*");
    nest = loop_over(k_, *c_.k, c_.s->label, only_loops(nest.body, std::move(update)));
  }

  // Returns the loops of the list with the statement inside the last of them.
  static list only_loops(const list& body, stmt inside) {
    for (const auto& s : body)
      if (s.kind == stmt_kind::loop) {
        auto l = s;
        l.body = only_loops(s.body, std::move(inside));
        return {std::move(l)};
      }
    return {std::move(inside)};
  }

  const product_chain& c_;
  const list& where_;
  ctype type_;
  expr q_, k_, s_, sum_, array_;
};

// Returns why facts of the reference's loops would be false for the loops that get their labels; empty: all stay true.
std::string why_not_as_free(const program& now, const environment& env) {
  for (const auto& [label, facts] : analyse(now, env.task)) {
    if (loop_label{label}.is(loop_role::unpacked))
      continue;
    const auto& known = facts_of(env, loop_label{label});
    if (known.independent && !facts.independent)
      return label + " would carry a dependence: " + facts.reason;
    for (const auto& inner : known.outranked_by)
      if (!facts.independent && facts.outranked_by.count(inner) == 0)
        return label + " and " + inner + " could no longer change places";
  }
  return {};
}

result<void> reassociate(program& p, const std::string& array, const environment& env) {
  auto changed = p;
  auto* where = list_that_uses(changed.body, array);
  if (where == nullptr)
    return fail(errc::unsupported, array + " is not filled by one nest and used by the next");
  const auto chain = chain_in(changed, *where, array, env);
  if (!chain)
    return tl::unexpected(chain.error());
  if (weight(p.body) * 2 > weight_limit)
    return fail(errc::unsupported, "the code would grow too long");
  auto now = *where;
  now[chain->use] = reordering{changed, *chain, *where, array}.run();
  now.erase(now.begin() + static_cast<ptrdiff_t>(chain->product));
  if (chain->first != chain->product)
    now.erase(now.begin() + static_cast<ptrdiff_t>(chain->first));
  *where = std::move(now);
  if (auto why = why_not_as_free(changed, env); !why.empty())
    return fail(errc::unsupported, std::move(why));
  p = std::move(changed);
  return {};
}

// Returns how many times fewer multiplications the other order takes over the declared shapes, at most. Nothing if
// their extents are not known before the call.
std::optional<double> gain_of(const product_chain& chain, const contract& task) {
  const auto [written, other] = costs_of(chain);
  const auto a = expression::parse(print(written));
  const auto b = expression::parse(print(other));
  if (!a || !b)
    return {};
  std::optional<double> out;
  for (const auto& shape : task.shapes) {
    const auto x = a->evaluate(shape.sizes);
    const auto y = b->evaluate(shape.sizes);
    if (!x || !y || *y < 1)
      return {};
    out = std::max(out.value_or(0), static_cast<double>(*x) / static_cast<double>(*y));
  }
  return out;
}

} // namespace

constinit const move_descriptor moves::reassociate{
    .name = "reassociate",
    .takes = {an_array},
    .goes_by_arrays = true,
    .where = site_kind::program,
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::reassociate(p, a[0], env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          walk(at.whole.body, [&](const stmt& s) {
            if (s.kind != stmt_kind::declare || s.type.suffix.empty() || !is_float(s.type.base) || !out.once(s.name))
              return;
            auto p = at.whole;
            const auto* where = list_that_uses(p.body, s.name);
            const auto chain = where == nullptr ? fail(errc::unsupported, "") : chain_in(p, *where, s.name, at.env);
            const auto gain = chain ? gain_of(*chain, at.env.task) : std::nullopt;
            if (chain && gain.value_or(2.0) > 1.0)
              out.add(gain ? 2.0 : 0.7, {s.name});
          });
        },
};

} // namespace kevolve::transform
