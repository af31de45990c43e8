// interchange(A, B): loop interchange. A and the loop B that is all of its body change places.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"

#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

result<void> interchange(program& p, const loop_label& outer, const loop_label& inner, const environment& env) {
  const auto& facts = facts_of(env, outer);
  if (outer.base() == inner.base())
    return fail(errc::unsupported, inner + " is a part of " + outer);
  if (!facts.independent && facts.outranked_by.count(inner.base()) == 0)
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

} // namespace

constinit const move_descriptor moves::interchange{
    .name = "interchange",
    .takes = {a_loop, a_loop},
    .where = site_kind::statement,
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::interchange(p, a.label(0), a.label(1), env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          const auto& s = at.here;
          if (s.kind == stmt_kind::loop && s.body.size() == 1 && s.body[0].kind == stmt_kind::loop
              && s.label.base() != s.body[0].label.base() && out.once(s.label + "/" + s.body[0].label))
            out.add(0.7, {s.label, s.body[0].label});
        },
};

} // namespace kevolve::transform
