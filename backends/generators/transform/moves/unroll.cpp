// unroll(L, f): loop unrolling. f iterations of L stand in a row; their order is kept.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/parameters.hpp"
#include "backends/generators/transform/moves/rewriting.hpp"
#include "backends/generators/transform/moves/side_by_side.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

result<void> unroll(program& p, const loop_label& loop, int64_t factor) {
  return replace(p, loop, factor, [&](const stmt& l) -> result<list> {
    if (leaves_early(l.body))
      return fail(errc::unsupported, loop + " can be left early");
    auto parts = divide(l, factor);
    if (!parts)
      return parts;
    auto& body = (*parts)[0].body.change();
    for (int64_t f = 1; f < factor; ++f) {
      auto next = copy_of(p, l, f);
      std::move(next.begin(), next.end(), std::back_inserter(body));
    }
    (*parts)[0].pragmas.clear();
    return parts;
  });
}

} // namespace

constinit const move_descriptor moves::unroll{
    .name = "unroll",
    .takes = {a_loop, a_number(2, 64)},
    .apply = [](program& p, const move_arguments& a, const environment&) -> result<void> {
      return transform::unroll(p, a.label(0), a.number(1));
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          const auto& s = at.here;
          if (at.loop->is_innermost && s.lanes == 1 && s.pragmas.empty())
            out.each(0.4 * at.loop->interest, s.label, unroll_factors());
        },
    .variants = [](const move& m, const environment&) { return varied(m, 1, unroll_factors()); },
};

} // namespace kevolve::transform
