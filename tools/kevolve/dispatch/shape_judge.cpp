#include "tools/kevolve/dispatch/shape_judge.hpp"

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

candidate candidate_of(const std::string& source, const std::string& flags, const std::string& about) {
  candidate out;
  out.language = "c";
  out.source = source;
  out.flags = flags;
  out.generator = "dispatch";
  out.summary = about;
  return out;
}

} // namespace

void judge_setup::tell(const std::string& what) const {
  if (!quiet)
    print_err("kevolve: " + printable(what) + "\n");
}

shape_judge::shape_judge(campaign_spec spec, size_t may_go, const judge_setup& setup,
                         std::vector<scratch_directory*>& in_use)
    : spec_(std::move(spec)), may_go_(may_go), setup_(setup), in_use_(in_use) {}

void shape_judge::forget() {
  node_.reset();
  std::erase(in_use_, data_.get());
  data_.reset();
}

result<void> shape_judge::begin() {
  forget();
  data_ = std::make_unique<scratch_directory>("");
  in_use_.push_back(data_.get());
  auto folder = data_->make();
  if (!folder)
    return tl::unexpected(folder.error());
  auto started = start_judge(*folder, spec_.target, setup_.weak_sandbox);
  if (!started)
    return tl::unexpected(started.error());
  node_ = std::move(*started);
  return {};
}

// A task's assumptions about its shapes may not hold at other sizes, for example about the number of hits. Drops the
// shape that admission names, or else all of them. Returns false if none could be dropped.
bool shape_judge::drop(const judge_outcome& admission) {
  auto& shapes = spec_.task.task.shapes;
  const auto first = shapes.end() - static_cast<std::ptrdiff_t>(may_go_);
  if (first == shapes.end())
    return false;
  const auto named = admission.evidence.find("shape");
  const auto at = std::find_if(first, shapes.end(), [&](const shape_case& s) {
    return named != admission.evidence.end() && s.name == named->second;
  });
  const auto gone = at == shapes.end() ? std::pair{first, shapes.end()} : std::pair{at, at + 1};
  for (auto s = gone.first; s != gone.second; ++s) {
    setup_.tell("not judged at " + s->name + ", the reference runs there: " + admission.detail);
    dropped_.push_back(s->sizes);
    --may_go_;
  }
  shapes.erase(gone.first, gone.second);
  return true;
}

result<single_evaluation> shape_judge::evaluate(const candidate& what, const candidate* baseline) {
  if (!node_)
    if (auto begun = begin(); !begun)
      return tl::unexpected(begun.error());
  for (;;) {
    if (task().shapes.empty())
      return fail(errc::unsupported, "no shape is left to judge");
    auto e = judge_alone(*node_, spec_, what, {setup_.stop, in_use_, setup_.quiet}, baseline);
    if (!admitted_ && e && e->fixed.admission.result == verdict::pass) {
      admitted_ = true;
      for (const auto& [name, note] : e->fixed.admission.evidence)
        if (name.starts_with("note."))
          setup_.tell("note: " + note);
    }
    if (!e || admitted_ || !drop(e->fixed.admission))
      return e;
  }
}

result<dispatch::judgement> shape_judge::judge(const std::string& source, const std::string& about,
                                               const std::string* baseline) {
  const auto other = candidate_of(baseline == nullptr ? "" : *baseline, setup_.flags, "its baseline");
  auto e = evaluate(candidate_of(source, setup_.flags, about), baseline == nullptr ? nullptr : &other);
  if (!e)
    return tl::unexpected(e.error());
  const auto& trouble = e->fixed.admission.result == verdict::pass ? e->outcome.trouble : e->fixed.admission.trouble;
  if (trouble)
    return fail(errc::internal, "judging " + about + ": " + trouble.kind + ": " + trouble.detail);
  dispatch::judgement out;
  out.passes = e->fixed.admission.result == verdict::pass && e->outcome.result == verdict::pass;
  out.why = out.passes ? "" : what_failed(*e);
  out.outcome = std::move(e->outcome.last);
  if (const auto own = e->fixed.admission.evidence.find("call_overhead_ns"); own != e->fixed.admission.evidence.end())
    out.call_overhead_ns = std::atof(own->second.c_str());
  out.harness = e->fixed.harness;
  out.toolchain = e->fixed.toolchain;
  out.device = e->fixed.device;
  return out;
}

} // namespace kevolve
