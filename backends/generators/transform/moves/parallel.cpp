// parallel(L): the iterations of L are shared among threads by OpenMP.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/stream.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

result<void> run_parallel(program& p, const loop_label& loop, const environment& env) {
  if (!env.task.threads)
    return fail(errc::unsupported, "the task allows no threads");
  const auto& facts = facts_of(env, loop);
  if (!facts.independent)
    return fail(errc::unsupported, loop + " carries a dependence: " + facts.reason);
  bool nested = false;
  walk(p.body, [&](const stmt& s) {
    for (const auto& pragma : s.pragmas)
      nested = nested || pragma.rfind("omp", 0) == 0;
  });
  if (nested)
    return fail(errc::unsupported, "one loop runs in parallel already");
  bool done = false;
  std::string reason = "no loop " + loop;
  for_each_labelled(p.body.change(), loop, [&](std::vector<stmt>& list, size_t at) -> size_t {
    if (streams_past(list[at])) {
      reason = loop + " streams, and each thread would need its fence";
      return 1;
    }
    auto carried = list[at].kind == stmt_kind::loop ? reductions(list[at], reason) : std::nullopt;
    if (!carried)
      return 1;
    if (!carried->empty()) {
      reason = carried->front().name + " is shared between iterations";
      return 1;
    }
    list[at].pragmas = {"omp parallel for schedule(static)"};
    done = true;
    return 1;
  });
  if (!done)
    return fail(errc::unsupported, reason);
  return {};
}

} // namespace

constinit const move_descriptor moves::parallel{
    .name = "parallel",
    .takes = {a_loop},
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return run_parallel(p, a.label(0), env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          if (at.loop->facts.independent && at.env.task.threads)
            out.add((at.loop->is_outermost ? 4.0 : 0.2) * at.loop->interest, {at.here.label});
        },
};

} // namespace kevolve::transform
