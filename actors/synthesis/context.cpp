#include "actors/synthesis/context.hpp"

#include "runtime/base/memory_operators.hpp"

#include <algorithm>

namespace kevolve {

namespace {

constexpr size_t detail_cap = 2'000;
constexpr size_t siblings_shown = 8;

// Failed siblings are shown under every operator but `none`.
bool shows_failures(const synthesis_step& step) {
  return !step.draft && !starts_afresh(step.memory);
}

double median_of(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

} // namespace

synthesis_context fixed_context(const campaign_spec& spec, const std::vector<std::string>& flag_menu,
                                const std::string& baseline_flags, std::map<std::string, int64_t> hardware) {
  synthesis_context c;
  c.task = spec.task.task;
  std::erase_if(c.task.shapes, [](const shape_case& s) { return s.held_out; });
  c.reference_source = spec.task.reference_source;
  c.flag_menu = flag_menu;
  c.baseline_flags = baseline_flags;
  c.hardware = std::move(hardware);
  return c;
}

ancestor to_ancestor(const node_record& node, std::string source) {
  ancestor a;
  a.genome = node.proposal.genome;
  a.source = std::move(source);
  a.flags = node.proposal.flags;
  a.verdict = to_string(node.result);
  a.detail = node.detail.substr(0, detail_cap);
  a.set_speedup(node);
  a.baseline = node.baseline;
  a.index = node.index;
  a.duplicate_of = node.duplicate_of;
  a.summary = node.proposal.summary;
  return a;
}

shape_times times_of(const evaluation_record& e) {
  shape_times out;
  for (const auto& t : e.outcome.timings) {
    if (t.held_out || t.candidate_ns.empty())
      continue;
    out.candidate_ns[t.shape] = median_of(t.candidate_ns);
    if (!t.baseline_ns.empty())
      out.baseline_ns[t.shape] = median_of(t.baseline_ns);
  }
  return out;
}

std::vector<id128> feedback_evaluations(const node_record& node) {
  const auto& all = node.evaluations;
  if (all.size() < 2)
    return all;
  return {all.front(), all.back()};
}

void append_feedback(ancestor& a, const evaluation_record& e) {
  const auto& evidence = e.outcome.evidence;
  for (const auto& [name, field] :
       {std::pair{"bound", &a.bound}, {"bound.why", &a.bound_why}, {"sass.notes", &a.code_notes}})
    if (const auto found = evidence.find(name); found != evidence.end())
      *field = found->second;
  if (auto beside = baselines_of(evidence); !beside.empty())
    a.baselines = std::move(beside);
  auto times = times_of(e);
  if (times.candidate_ns.empty())
    return;
  a.shape_ns = std::move(times.candidate_ns);
  a.baseline_ns = std::move(times.baseline_ns);
}

std::vector<uint64_t> nodes_to_read(const synthesis_step& step, bool for_a_model) {
  std::vector<uint64_t> out;
  if (!step.draft)
    out = step.parents;
  if (!step.draft && for_a_model) {
    out.insert(out.end(), step.lineage.begin(), step.lineage.end());
    if (!starts_afresh(step.memory))
      out.push_back(step.best.index);
  }
  if (shows_failures(step))
    out.insert(out.end(), step.failed.begin(), step.failed.end());
  if (shows_siblings(step.memory))
    out.insert(out.end(),
               step.siblings.end() - static_cast<std::ptrdiff_t>(std::min(siblings_shown, step.siblings.size())),
               step.siblings.end());
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  std::erase(out, uint64_t{0}); // the reference is in the fixed part
  return out;
}

generate_request to_request(const synthesis_step& step, const std::map<uint64_t, ancestor>& read) {
  generate_request q;
  q.index = step.index;
  q.memory = step.memory;
  q.draft = step.draft;
  q.draft_index = step.draft_index;
  q.seen = step.seen;
  q.best = step.best;
  q.seed = step.seed;
  if (!step.draft && !starts_afresh(step.memory))
    q.emphasis = step.emphasis;
  q.skills = step.skills;
  auto take = [&](const std::vector<uint64_t>& from, std::vector<ancestor>& to) {
    for (auto i : from)
      if (auto a = read.find(i); a != read.end())
        to.push_back(a->second);
  };
  if (!step.draft) {
    take(step.parents, q.parents);
    take(step.lineage, q.lineage);
    const auto& parents = step.parents;
    if (!starts_afresh(step.memory) && std::find(parents.begin(), parents.end(), step.best.index) == parents.end())
      take({step.best.index}, q.fastest);
  }
  if (shows_siblings(step.memory))
    take(step.siblings, q.siblings);
  else if (shows_failures(step))
    take(step.failed, q.siblings);
  q.unshown = step.earlier_siblings + step.siblings.size() - q.siblings.size();
  return q;
}

} // namespace kevolve
