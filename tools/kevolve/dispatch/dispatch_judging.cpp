#include "tools/kevolve/dispatch/dispatch_judging.hpp"

#include "tools/kevolve/output/terminal.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace kevolve {

namespace {

std::string what_failed(const single_evaluation& e) {
  const auto& admission = e.fixed.admission;
  if (admission.result != verdict::pass)
    return "the task is refused: " + admission.detail;
  const auto& o = e.outcome;
  return to_string(o.result) + (o.rule.empty() ? "" : " (" + o.rule + ")") + (o.detail.empty() ? "" : ": " + o.detail);
}

dispatch::figures figures_of(const judge_outcome& o, const contract& task) {
  dispatch::figures out(task.shapes.size());
  for (const auto& t : o.timings)
    for (size_t s = 0; s < out.size(); ++s)
      if (task.shapes[s].name == t.shape)
        out[s] = {t.speedup, t.ci_low, t.ci_high};
  return out;
}

} // namespace

dispatch_judge::dispatch_judge(campaign_spec spec, std::string flags, std::vector<std::string> weak_sandbox,
                               const stop_signal& stop, bool quiet)
    : spec_(std::move(spec)), flags_(std::move(flags)), weak_sandbox_(std::move(weak_sandbox)), stop_(stop),
      quiet_(quiet) {
  auto corners = dispatch::corners_of(task());
  beside_ = {corners.to_judge.size(), std::move(corners.unseen)};
  auto& shapes = spec_.task.task.shapes;
  shapes.insert(shapes.end(), corners.to_judge.begin(), corners.to_judge.end());
}

result<void> dispatch_judge::begin() {
  node_.reset();
  data_ = std::make_unique<scratch_directory>("");
  auto folder = data_->make();
  if (!folder)
    return tl::unexpected(folder.error());
  auto started = start_judge(*folder, spec_.target, weak_sandbox_);
  if (!started)
    return tl::unexpected(started.error());
  node_ = std::move(*started);
  return {};
}

void dispatch_judge::tell(const std::string& what) const {
  if (!quiet_)
    print_err("kevolve: " + printable(what) + "\n");
}

// A task's assumptions about its shapes may not hold between them, for example about the number of hits. Drops the
// shape that admission names, or else all of them. Returns false if none is left.
bool dispatch_judge::give_up_between(const judge_outcome& admission) {
  auto& shapes = spec_.task.task.shapes;
  const auto first = shapes.end() - static_cast<std::ptrdiff_t>(beside_.judged);
  if (first == shapes.end())
    return false;
  const auto named = admission.evidence.find("shape");
  const auto at = std::find_if(first, shapes.end(), [&](const shape_case& s) {
    return named != admission.evidence.end() && s.name == named->second;
  });
  const auto given_up = at == shapes.end() ? std::pair{first, shapes.end()} : std::pair{at, at + 1};
  for (auto s = given_up.first; s != given_up.second; ++s) {
    tell("not judged at " + s->name + ", the reference runs there: " + admission.detail);
    beside_.unseen.push_back(s->sizes);
    --beside_.judged;
  }
  shapes.erase(given_up.first, given_up.second);
  return true;
}

result<single_evaluation> dispatch_judge::evaluate(const candidate& what) {
  for (;;) {
    auto e = judge_alone(*node_, spec_, what, {stop_, *data_, quiet_});
    admitted_ = admitted_ || (e && e->fixed.admission.result == verdict::pass);
    if (!e || admitted_ || !give_up_between(e->fixed.admission))
      return e;
  }
}

result<dispatch::judgement> dispatch_judge::judge(const std::string& source, const std::string& about) {
  candidate what;
  what.language = "c";
  what.source = source;
  what.flags = flags_;
  what.generator = "dispatch";
  what.summary = about;
  auto e = evaluate(what);
  if (!e)
    return tl::unexpected(e.error());
  const auto& trouble = e->fixed.admission.result == verdict::pass ? e->outcome.trouble : e->fixed.admission.trouble;
  if (trouble)
    return fail(errc::internal, "judging " + about + ": " + trouble.kind + ": " + trouble.detail);
  dispatch::judgement out;
  out.passes = e->fixed.admission.result == verdict::pass && e->outcome.result == verdict::pass;
  out.why = out.passes ? "" : what_failed(*e);
  out.outcome = std::move(e->outcome.last);
  out.by_shape = figures_of(out.outcome, task());
  if (const auto own = e->fixed.admission.evidence.find("call_overhead_ns"); own != e->fixed.admission.evidence.end())
    out.call_overhead_ns = std::atof(own->second.c_str());
  out.harness = e->fixed.harness;
  out.toolchain = e->fixed.toolchain;
  out.device = e->fixed.device;
  return out;
}

result<judged_kernels> judge_kernels(dispatch_judge& judge, const std::vector<tree_kernel>& kernels) {
  judged_kernels out;
  size_t done = 0;
  for (const auto& k : kernels) {
    const auto name = "candidate " + std::to_string(k.node);
    judge.tell("judging " + name + ", " + std::to_string(++done) + " of " + std::to_string(kernels.size()));
    auto part = dispatch::read_part("node" + std::to_string(k.node), k.summary, k.source, judge.task().entry);
    if (!part) {
      out.refused.push_back({k.node, part.error().detail});
      continue;
    }
    auto said = judge.judge(k.source, name);
    if (!said)
      return tl::unexpected(said.error());
    if (!said->passes) {
      out.refused.push_back({k.node, said->why});
      continue;
    }
    out.kernels.push_back(k);
    out.parts.push_back(std::move(*part));
    out.figures.push_back(std::move(said->by_shape));
    out.speedups.push_back(said->outcome.speedup);
  }
  return out;
}

result<dispatch::proof> prove_dispatcher(dispatch_judge& judge, const dispatch::source_part& reference,
                                         const judged_kernels& k) {
  dispatch::judging how;
  how.judge = [&judge](const std::string& source, const std::string& about) { return judge.judge(source, about); };
  how.forget = [&judge] { return judge.begin(); };
  how.tell = [&judge](const std::string& what) { judge.tell(what); };
  return dispatch::prove(judge.task(), reference, k.parts, k.figures, how, judge.beside());
}

} // namespace kevolve
