// restrict: the pointers that the contract keeps apart are declared `restrict`.
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/moves/candidates.hpp"

#include <algorithm>

namespace kevolve::transform {

namespace {

result<void> add_restrict(program& p, const environment& env) {
  for (const auto& x : env.task.arguments)
    if (x.alias)
      return fail(errc::unsupported, x.name + " may alias");
  bool any = std::any_of(p.parameters.begin(), p.parameters.end(),
                         [](const parameter& x) { return x.plain_pointer && !x.is_restrict; });
  if (!any || p.add_restrict)
    return fail(errc::unsupported, "no pointer to restrict");
  p.add_restrict = true;
  return {};
}

} // namespace

constinit const move_descriptor moves::restrict {
    .name = "restrict",
    .stands_last = true,
    .effect = move_effect::declarations,
    .where = site_kind::program,
    .apply = [](program& p, const move_arguments&, const environment& env) -> result<void> {
      return add_restrict(p, env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          if (!at.whole.add_restrict)
            out.add(0.5);
        },
};

} // namespace kevolve::transform
