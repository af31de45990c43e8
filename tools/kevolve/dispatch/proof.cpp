#include "tools/kevolve/dispatch/proof.hpp"

#include <set>
#include <utility>

namespace kevolve::dispatch {

namespace {

constexpr size_t most_rounds = 6;

} // namespace

result<proof> prove(const contract& task, const source_part& reference, const std::vector<source_part>& kernels,
                    const std::vector<figures>& measured, const judging& how, const between& beside) {
  const auto own = task.shapes.size() - beside.judged;
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
    auto said = how.judge(out.source, "the dispatcher");
    if (!said)
      return tl::unexpected(said.error());
    out.judged = std::move(*said);
    for (size_t s = 0; s < task.shapes.size(); ++s) {
      out.runs.push_back(kernel_at(out.where, complete_sizes(task, task.shapes[s].sizes)));
      if (is_slower(out.judged.by_shape[s]) && (s < own || out.runs[s]))
        out.slower.push_back(s);
    }
    if (!out.judged.passes || out.slower.empty() || round == most_rounds)
      return out;
    bool changed = false;
    for (auto s : out.slower)
      if (out.runs[s] && to_reference.insert(s).second) {
        changed = true;
        how.tell("slower than the reference at " + task.shapes[s].name + ": the reference gets its region");
      }
    if (changed)
      continue;
    if (asked_again)
      return out;
    asked_again = true;
    how.tell("slower than the reference where the reference itself runs: judging it anew");
    if (auto forgotten = how.forget(); !forgotten)
      return tl::unexpected(forgotten.error());
  }
}

} // namespace kevolve::dispatch
