// vectorise(L, n): n iterations of L side by side in vector values, at any depth. Values that do not depend on the
// iteration stay scalar. Inner loops with common bounds stay loops, and conditions become masks.
#include "backends/generators/transform/analysis/bounds.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/analysis/partial_results.hpp"
#include "backends/generators/transform/analysis/profit.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/parameters.hpp"
#include "backends/generators/transform/moves/rewriting.hpp"
#include "backends/generators/transform/vectorise/lanes.hpp"
#include "backends/generators/transform/vectorise/vectoriser.hpp"

#include <iterator>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

result<void> vectorise(program& p, const loop_label& loop, int64_t lanes, const environment& env) {
  const auto& facts = facts_of(env, loop);
  if (!facts.independent)
    return fail(errc::unsupported, loop + " carries a dependence: " + facts.reason);
  bool done = false;
  std::string reason = "no loop " + loop;
  const auto before = p.body;
  const auto within = reads_within(p, loop, env.task);
  for_each_labelled(p.body.change(), loop, [&](list& where, size_t at) -> size_t {
    const auto l = where[at];
    if (l.kind != stmt_kind::loop || l.lanes > 1) {
      reason = loop + " is vectorised already";
      return 1;
    }
    if (l.step != 1) {
      reason = loop + " is unrolled already";
      return 1;
    }
    auto carried = carried_by(l, env, reason);
    if (!carried)
      return 1;
    try {
      auto parts = divide(l, lanes);
      if (!parts) {
        reason = parts.error().detail;
        return 1;
      }
      auto& main = (*parts)[0];
      auto summed = l;
      sum_unsigned(summed, carried->sums);
      main.body = vectoriser(summed, static_cast<uint16_t>(lanes), carried->names(), within).run();
      main.lanes = static_cast<uint16_t>(lanes);
      main.pragmas.clear();
      auto out = with_partial_results(p, std::move(main), *carried);
      if (parts->size() > 1)
        out.push_back(std::move((*parts)[1]));
      auto n = out.size();
      where.erase(where.begin() + static_cast<ptrdiff_t>(at));
      where.insert(where.begin() + static_cast<ptrdiff_t>(at), std::make_move_iterator(out.begin()),
                   std::make_move_iterator(out.end()));
      done = true;
      return n;
    } catch (const refusal& r) {
      reason = r.reason;
      return 1;
    }
  });
  if (!done)
    return fail(errc::unsupported, reason);
  if (weight(p.body) > weight_limit) { // loads lane by lane
    p.body = before;
    return fail(errc::unsupported, "the code would grow too long");
  }
  return {};
}

} // namespace

constinit const move_descriptor moves::vectorise{
    .name = "vectorise",
    .takes = {a_loop, {.kind = argument_kind::number, .least = 2, .most = 128, .power_of_two = true}},
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::vectorise(p, a.label(0), a.number(1), env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          const auto& s = at.here;
          if (!at.loop->facts.independent || s.lanes != 1 || s.step != 1)
            return;
          // Rows in the lanes, whose elements stand apart, pay where the loops inside have no vectors of their own.
          const double apart = at.loop->is_innermost || holds_recurrence(s, at.env) ? 0.2 : 0.05;
          const auto smooth = at.loop->smooth;
          out.each((apart + 2.0 * smooth * smooth) * at.loop->interest, s.label, lane_counts(at.env));
        },
    .variants = [](const move& m, const environment& env) { return varied(m, 1, lane_counts(env)); },
};

} // namespace kevolve::transform
