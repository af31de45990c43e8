// math: faster forms of expf and of divisions by what a loop leaves alone, where no output must be exact.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/effects.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

// Divisions by a variable that a loop leaves alone become products with its inverse, taken once before the loop.
class inverses {
public:
  explicit inverses(program& p) : p_(p) {}

  bool run(list& body) {
    for (size_t i = 0; i < body.size(); ++i) {
      list before;
      if (body[i].kind == stmt_kind::loop && arrays_written(body[i].body).count({}) == 0 && !holds_opaque(body[i].body))
        run(body[i], before);
      body.insert(body.begin() + static_cast<ptrdiff_t>(i), before.begin(), before.end());
      i += before.size();
      for (auto* inner : {&body[i].body, &body[i].otherwise})
        if (!inner->empty())
          run(inner->change());
    }
    return done_;
  }

private:
  void run(stmt& loop, list& before) {
    auto changed = assigned(loop.body);
    changed.merge(declared(loop.body));
    changed.insert(loop.name);
    std::map<std::string, expr> known;
    rewrite_exprs(loop.body.change(), [&](expr& e) {
      if (e.kind != expr_kind::binary || e.text != "/" || !is_float(e.type.base))
        return;
      const bool splat = e.args[1].kind == expr_kind::splat;
      const auto& by = bare(splat ? e.args[1].args[0] : e.args[1]);
      if (by.kind != expr_kind::name || by.type.lanes > 1 || by.type.base != e.type.base || changed.count(by.text) != 0)
        return;
      auto it = known.find(by.text);
      if (it == known.end()) {
        auto type = scalar_type(by.type.base);
        type.is_const = true;
        const auto name = make_name(fresh_name(p_, by.text + "_inverse"), type);
        auto one = make_literal(1, by.type.base);
        before.push_back(make_declare(name.text, type, make_expr(expr_kind::binary, type, {std::move(one), by}, "/")));
        it = known.emplace(by.text, name).first;
      }
      auto factor = splat ? make_expr(expr_kind::splat, e.args[1].type, {it->second}) : it->second;
      e = make_expr(expr_kind::binary, e.type, {e.args[0], std::move(factor)}, "*");
      done_ = true;
    });
  }

  program& p_;
  bool done_ = false;
};

// A divisor that all lanes share becomes a factor: one division for all vectors that are divided by it.
bool multiply_lanes(list& body) {
  bool done = false;
  rewrite_exprs(body, [&](expr& e) {
    if (e.kind != expr_kind::binary || e.text != "/" || !is_float(e.type.base) || e.args[1].kind != expr_kind::splat)
      return;
    const auto by = e.args[1].args[0];
    if (bare(by).kind == expr_kind::literal || by.type.lanes > 1 || by.type.base != e.type.base)
      return;
    const auto type = scalar_type(by.type.base);
    auto inverse = make_expr(expr_kind::binary, type, {make_literal(1, by.type.base), by}, "/");
    e = make_expr(expr_kind::binary, e.type,
                  {e.args[0], make_expr(expr_kind::splat, e.args[1].type, {std::move(inverse)})}, "*");
    done = true;
  });
  return done;
}

bool divides_by_fixed(const program& p) {
  auto q = p;
  return inverses{q}.run(q.body.change()) || multiply_lanes(q.body.change());
}

result<void> fast_math(program& p, const environment& env) {
  const auto& arguments = env.task.arguments;
  const bool whole_numbers_alone = std::none_of(arguments.begin(), arguments.end(), [](const auto& a) {
    return (a.role == argument_role::output || a.role == argument_role::inout) && is_floating(a.type);
  });
  if (!may_reassociate(env, scalar_kind::f32) || whole_numbers_alone)
    return fail(errc::unsupported, "the result must be exact");
  bool done = inverses{p}.run(p.body.change());
  done = multiply_lanes(p.body.change()) || done;
  rewrite_exprs(p.body.change(), [&](expr& e) {
    if (e.kind != expr_kind::call || e.text != "expf" || e.computes || e.args.size() != 1)
      return;
    e.kind = expr_kind::elementwise;
    e.text = "exp";
    done = true;
  });
  if (!done)
    return fail(errc::unsupported, "no call that has a faster form");
  return {};
}

} // namespace

constinit const move_descriptor moves::math{
    .name = "math",
    .stands_last = true,
    .where = site_kind::program,
    .apply = [](program& p, const move_arguments&, const environment& env) -> result<void> {
      return fast_math(p, env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          bool has_exp = false;
          walk_exprs(at.whole.body, [&](const expr& e) {
            has_exp = has_exp || (e.kind == expr_kind::call && e.text == "expf" && !e.computes);
          });
          if (has_exp || divides_by_fixed(at.whole))
            out.add(0.8);
        },
};

} // namespace kevolve::transform
