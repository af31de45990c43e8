// split_accumulators(L, k): accumulator splitting. The reductions of L are kept in k partial results, joined after the
// loop.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/analysis/partial_results.hpp"
#include "backends/generators/transform/ir/build.hpp"
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

const std::vector<int64_t> partials{2, 3, 4, 6, 8};

result<void> split_accumulators(program& p, const loop_label& loop, int64_t count, const environment& env) {
  const auto& facts = facts_of(env, loop);
  if (!facts.independent)
    return fail(errc::unsupported, loop + " carries a dependence: " + facts.reason);
  return replace(p, loop, count, [&](const stmt& l) -> result<list> {
    std::string reason;
    auto carried = reductions(l, reason);
    if (!carried)
      return fail(errc::unsupported, reason);
    if (carried->empty())
      return fail(errc::unsupported, loop + " accumulates nothing");
    for (const auto& r : *carried)
      if (r.op == "xor" || !may_reassociate(env, r.type.base))
        return fail(errc::unsupported, r.name + " cannot be split into partial results");
    if (leaves_early(l.body))
      return fail(errc::unsupported, loop + " can be left early");
    auto parts = divide(l, count);
    if (!parts)
      return parts;
    list before;
    list after;
    std::vector<list> copies;
    auto summed = l;
    auto sums = *carried;
    sum_unsigned(summed, sums);
    for (int64_t f = 0; f < count; ++f) {
      auto c = copy_of(p, summed, f);
      for (size_t i = 0; i < sums.size(); ++i) {
        const auto& r = sums[i];
        if (f > 0 || r.type.base != (*carried)[i].type.base) {
          auto partial = fresh_name(p, r.name + "_" + std::to_string(f));
          rename(c, r.name, partial);
          auto type = r.type;
          type.is_const = false;
          before.push_back(make_declare(partial, type, reduction_start(r)));
          after.push_back(reduction_join((*carried)[i], make_name(partial, type)));
        }
      }
      copies.push_back(std::move(c));
    }
    (*parts)[0].body = zip(p, std::move(copies), {});
    (*parts)[0].pragmas.clear();
    list out = std::move(before);
    out.push_back(std::move((*parts)[0]));
    std::move(after.begin(), after.end(), std::back_inserter(out));
    if (parts->size() > 1)
      out.push_back(std::move((*parts)[1]));
    return out;
  });
}

} // namespace

constinit const move_descriptor moves::split_accumulators{
    .name = "split_accumulators",
    .former_name = "split",
    .takes = {a_loop, a_number(2, 64)},
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::split_accumulators(p, a.label(0), a.number(1), env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          if (!at.loop->facts.independent)
            return;
          std::string reason;
          auto carried = reductions(at.here, reason);
          if (carried && !carried->empty())
            out.each(1.0 * at.loop->interest, at.here.label, partials);
        },
    .variants = [](const move& m, const environment&) { return varied(m, 1, partials); },
};

} // namespace kevolve::transform
