// aligned: the compiler is told how the contract aligns the arrays.
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/moves/candidates.hpp"

#include <algorithm>

namespace kevolve::transform {

namespace {

result<void> promise_alignment(program& p, const environment& env) {
  uint32_t least = 0;
  for (const auto& x : env.task.arguments)
    if (x.role != argument_role::size && x.role != argument_role::scalar)
      least = least == 0 ? x.align : std::min(least, x.align);
  if (least < 16 || p.alignment > 0)
    return fail(errc::unsupported, "no alignment to promise");
  p.alignment = least;
  return {};
}

} // namespace

constinit const move_descriptor moves::aligned{
    .name = "aligned",
    .stands_last = true,
    .effect = move_effect::declarations,
    .where = site_kind::program,
    .apply = [](program& p, const move_arguments&, const environment& env) -> result<void> {
      return promise_alignment(p, env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          if (at.whole.alignment == 0)
            out.add(0.3);
        },
};

} // namespace kevolve::transform
