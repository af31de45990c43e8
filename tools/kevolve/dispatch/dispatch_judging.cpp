#include "tools/kevolve/dispatch/dispatch_judging.hpp"

#include "backends/judge/outcome_figures.hpp"
#include "tools/kevolve/dispatch/outside.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace kevolve {

namespace {

// The judge holds several sets of arguments and of expected values at once.
constexpr double share_of_memory = 1.0 / 64.0;

double memory_of_a_probe() {
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGE_SIZE))
         * share_of_memory;
}

campaign_spec with_shapes(campaign_spec spec, std::vector<shape_case> shapes) {
  spec.task.task.shapes = std::move(shapes);
  return spec;
}

} // namespace

dispatch_judge::dispatch_judge(const campaign_spec& spec, const judge_setup& setup,
                               const dispatch::regression_rule& rule, bool outside)
    : setup_(setup), rule_(rule) {
  const auto& task = spec.task.task;
  auto corners = dispatch::corners_of(task);
  unseen_ = std::move(corners.unseen);
  auto shapes = task.shapes;
  shapes.insert(shapes.end(), corners.to_judge.begin(), corners.to_judge.end());
  own_ = std::make_unique<shape_judge>(with_shapes(spec, std::move(shapes)), corners.to_judge.size(), setup, in_use_);
  if (!outside)
    return;
  auto probes = dispatch::probes_of(task, memory_of_a_probe());
  unseen_probes_ = std::move(probes.unseen);
  for (const auto& at : unseen_probes_)
    setup_.tell("not judged at " + dispatch::shape_name(task, at) + ": its arrays would take too much memory");
  if (const auto count = probes.to_judge.size(); count > 0)
    beyond_ = std::make_unique<shape_judge>(with_shapes(spec, std::move(probes.to_judge)), count, setup, in_use_);
}

void dispatch_judge::forget() {
  own_->forget();
  if (beyond_)
    beyond_->forget();
}

result<dispatch::judgement> dispatch_judge::judge(const std::string& source, const std::string& about, bool outside) {
  auto out = own_->judge(source, about);
  if (!out || !out->passes || !outside || !beyond_ || beyond_fails_)
    return out;
  auto there = beyond_->judge(source, about + " beyond the task's sizes");
  if (!there) { // no probe is left, or a fault such as too little memory or time for the large ones
    setup_.tell("nothing is judged beyond the task's sizes, the reference runs there: " + there.error().detail);
    beyond_fails_ = true;
    return out;
  }
  if (!there->passes) {
    out->why_not_outside = there->why;
    return out;
  }
  out->outside_basis = basis_of(there->outcome);
  out->outside = std::move(there->outcome.timings);
  return out;
}

result<dispatch::judgement> dispatch_judge::compare(const std::string& source, const std::string& baseline) {
  return own_->judge(source, "the dispatcher against the best kernel", &baseline);
}

contract dispatch_judge::task() const {
  auto out = own_->task();
  if (beyond_)
    for (auto s : beyond_->task().shapes) {
      s.held_out = true; // it is none of those that the task declares
      out.shapes.push_back(std::move(s));
    }
  return out;
}

dispatch::between dispatch_judge::beside() const {
  auto unseen = unseen_;
  unseen.insert(unseen.end(), own_->dropped().begin(), own_->dropped().end());
  return {own_->may_go(), std::move(unseen), beyond_ ? beyond_->may_go() : 0};
}

dispatch::figures dispatch_judge::figures_of(const dispatch::judgement& j) const {
  const auto all = task();
  dispatch::figures out(all.shapes.size());
  const auto take = [&](const std::vector<shape_timing>& timings, const interval_basis& whole) {
    for (const auto& t : timings)
      for (size_t s = 0; s < out.size(); ++s)
        if (all.shapes[s].name == t.shape) {
          const auto test = dispatch::test_regression(dispatch::log_ratios(t), rule_);
          out[s] = {t.speedup, t.ci_low, t.ci_high, test, std::max(basis_of(t, test.pairs, whole).sessions, 1U)};
        }
  };
  take(j.outcome.timings, basis_of(j.outcome));
  take(j.outside, j.outside_basis);
  return out;
}

std::vector<dispatch::figures> judged_kernels::figures() const {
  std::vector<dispatch::figures> out;
  std::transform(judgements.begin(), judgements.end(), std::back_inserter(out),
                 [](const dispatch::judgement& j) { return j.by_shape; });
  return out;
}

result<judged_kernels> judge_kernels(dispatch_judge& judge, const std::vector<tree_kernel>& kernels, bool outside) {
  judged_kernels out;
  size_t done = 0;
  for (const auto& k : kernels) {
    const auto name = "candidate " + std::to_string(k.node);
    judge.setup().tell("judging " + name + ", " + std::to_string(++done) + " of " + std::to_string(kernels.size()));
    auto part = dispatch::read_part("node" + std::to_string(k.node), k.summary, k.source, judge.task().entry);
    if (!part) {
      out.refused.push_back({k.node, part.error().detail});
      continue;
    }
    auto said = judge.judge(k.source, name, outside);
    if (!said)
      return tl::unexpected(said.error());
    if (!said->passes) {
      out.refused.push_back({k.node, said->why});
      continue;
    }
    if (!said->why_not_outside.empty())
      out.not_outside.push_back({k.node, said->why_not_outside});
    out.kernels.push_back(k);
    out.parts.push_back(std::move(*part));
    out.judgements.push_back(std::move(*said));
  }
  for (auto& j : out.judgements) // the shapes are final now
    j.by_shape = judge.figures_of(j);
  return out;
}

result<dispatch::proof> prove_dispatcher(dispatch_judge& judge, const dispatch::source_part& reference,
                                         const judged_kernels& k) {
  dispatch::judging how;
  how.judge = [&judge](const std::string& source, const std::string& about, bool outside) {
    auto said = judge.judge(source, about, outside);
    if (said)
      said->by_shape = judge.figures_of(*said);
    return said;
  };
  how.forget = [&judge]() -> result<void> {
    judge.forget();
    return {};
  };
  how.tell = [&judge](const std::string& what) { judge.setup().tell(what); };
  return dispatch::prove(judge.task(), reference, k.parts, k.figures(), how, judge.beside());
}

result<dispatch::against_single> compare_with_single(dispatch_judge& judge, const dispatch::proof& p,
                                                     const judged_kernels& k) {
  std::vector<double> speedups;
  for (const auto& j : k.judgements)
    speedups.push_back(j.outcome.speedup);
  const auto single = dispatch::fastest_single(speedups);
  judge.setup().tell("judging the dispatcher against candidate " + std::to_string(k.kernels[single].node)
                     + ", the fastest kernel alone");
  auto said = judge.compare(p.source, k.kernels[single].source);
  if (!said)
    return tl::unexpected(said.error());
  if (!said->passes)
    return fail(errc::internal,
                "the dispatcher against candidate " + std::to_string(k.kernels[single].node) + ": " + said->why);
  return dispatch::compared_with_single(single, said->outcome, judge.rule());
}

} // namespace kevolve
