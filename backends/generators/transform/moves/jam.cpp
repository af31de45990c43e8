// jam(L, f): unroll-and-jam. f iterations of L run side by side, and their inner loops are fused.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/analysis/profit.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/parameters.hpp"
#include "backends/generators/transform/moves/rewriting.hpp"
#include "backends/generators/transform/moves/side_by_side.hpp"

#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

result<void> jam(program& p, const loop_label& loop, int64_t factor, const environment& env) {
  const auto& facts = facts_of(env, loop);
  if (!facts.independent)
    return fail(errc::unsupported, loop + " carries a dependence: " + facts.reason);
  return replace(p, loop, factor, [&](const stmt& l) -> result<list> {
    std::string reason;
    auto carried = reductions(l, reason);
    if (!carried)
      return fail(errc::unsupported, reason);
    for (const auto& r : *carried)
      if (!may_reassociate(env, r.type.base))
        return fail(errc::unsupported, r.name + " would be summed in another order, and the result must be exact");
    if (leaves_early(l.body))
      return fail(errc::unsupported, loop + " can be left early");
    auto parts = divide(l, factor);
    if (!parts)
      return parts;
    std::vector<list> copies;
    copies.reserve(static_cast<size_t>(factor));
    const auto shared = uniform_of(l);
    for (int64_t f = 0; f < factor; ++f)
      copies.push_back(copy_of(p, l, f, shared));
    (*parts)[0].body = zip(p, std::move(copies), shared);
    (*parts)[0].pragmas.clear();
    return parts;
  });
}

} // namespace

constinit const move_descriptor moves::jam{
    .name = "jam",
    .takes = {a_loop, a_number(2, 64)},
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::jam(p, a.label(0), a.number(1), env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          if (!at.loop->facts.independent)
            return;
          const auto& s = at.here;
          const auto& factors = unroll_factors();
          auto demand = register_demand(s, hardware_fact(at.env, "vector_bits", 128));
          auto registers = hardware_fact(at.env, "vector_bits", 128) >= 512 ? 32.0 : 16.0;
          auto worth = promises_reuse(s) ? 2.0 : at.loop->is_innermost ? 0.4 : 0.6;
          for (auto f : factors) // more values than registers go through memory
            out.add(at.loop->interest * worth / static_cast<double>(factors.size())
                        * (demand * static_cast<double>(f) > registers ? 0.2 : 1.0),
                    {s.label, std::to_string(f)});
        },
    .variants = [](const move& m, const environment&) { return varied(m, 1, unroll_factors()); },
};

} // namespace kevolve::transform
