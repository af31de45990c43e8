#include "tools/kevolve/dispatch/proof.hpp"

#include <set>
#include <utility>

namespace kevolve::dispatch {

namespace {

constexpr size_t most_rounds = 6;

} // namespace

result<proof> prove(const contract& task, const source_part& reference, const std::vector<source_part>& kernels,
                    const std::vector<figures>& measured, const judging& how, const between& beside) {
  const auto own = own_shapes(task, beside);
  std::set<size_t> to_reference;
  bool asked_again = false;
  for (size_t round = 1;; ++round) {
    proof out;
    out.rounds = round;
    out.where = plan_regions(task, measured, to_reference, beside);
    if (kernels_in(out.where).empty())
      return fail(errc::not_found, "nothing to dispatch: no kernel is shown to be faster than the reference on any "
                                   "declared shape");
    out.source = dispatcher_source(task, reference, kernels, out.where);
    how.tell("judging the dispatcher, round " + std::to_string(round));
    auto said = how.judge(out.source, "the dispatcher", !out.where.outside.empty());
    if (!said)
      return tl::unexpected(said.error());
    out.judged = std::move(*said);
    for (size_t s = 0; s < task.shapes.size(); ++s) {
      out.runs.push_back(kernel_at(out.where, complete_sizes(task, task.shapes[s].sizes)));
      const auto& f = out.judged.by_shape[s];
      if (out.runs[s] ? !is_not_inferior(f) : s < own && is_inferior(f))
        out.slower.push_back(s);
    }
    if (!out.judged.passes || out.slower.empty() || round == most_rounds)
      return out;
    bool changed = false;
    for (auto s : out.slower)
      if (out.runs[s] && to_reference.insert(s).second) {
        changed = true;
        const auto& test = out.judged.by_shape[s].against_reference;
        how.tell(to_string(test.result) + (test.result == regression::inferior ? "" : " to be as fast as the reference")
                 + " at " + task.shapes[s].name + ", by " + std::to_string(test.pairs)
                 + " pairs: the reference gets its region");
      }
    if (changed)
      continue;
    if (asked_again)
      return out;
    asked_again = true;
    how.tell("inferior to the reference where the reference itself runs: judging it anew");
    if (auto forgotten = how.forget(); !forgotten)
      return tl::unexpected(forgotten.error());
  }
}

} // namespace kevolve::dispatch
