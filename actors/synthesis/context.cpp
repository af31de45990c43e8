#include "actors/synthesis/context.hpp"

#include <algorithm>
#include <random>

namespace kevolve {

namespace {

constexpr size_t detail_cap = 2'000;
constexpr size_t siblings_shown = 8;

bool remembers_siblings(const synthesis_step& step) {
  return step.memory == "siblings" || step.memory == "both";
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
  a.fitness = node.fitness;
  return a;
}

std::vector<uint64_t> nodes_to_read(const synthesis_step& step) {
  std::vector<uint64_t> out;
  if (!step.draft)
    out = step.parents;
  if (remembers_siblings(step))
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
  q.draft = step.draft;
  q.draft_index = step.draft_index;
  q.seen = step.seen;
  q.seed = step.seed;
  auto take = [&](const std::vector<uint64_t>& from, std::vector<ancestor>& to) {
    for (auto i : from)
      if (auto a = read.find(i); a != read.end())
        to.push_back(a->second);
  };
  if (!step.draft)
    take(step.parents, q.parents);
  if (remembers_siblings(step))
    take(step.siblings, q.siblings);
  return q;
}

size_t pick_weighted(const std::vector<double>& weights, uint64_t seed) {
  std::mt19937_64 random{seed};
  double total = 0;
  for (auto w : weights)
    total += w;
  auto at = std::uniform_real_distribution<double>{0.0, total}(random);
  for (size_t i = 0; i < weights.size(); ++i) {
    if (at < weights[i])
      return i;
    at -= weights[i];
  }
  return weights.empty() ? 0 : weights.size() - 1;
}

} // namespace kevolve
