#include "actors/search/policy.hpp"

#include "actors/search/openness.hpp"
#include "actors/search/surprise.hpp"

#include <algorithm>

namespace kevolve {

namespace {

// Nodes that compete to be the second parent.
constexpr int tournament_size = 3;

// Chooses where no policy of this build has weight.
constexpr const char* fallback_policy = "uct";

// A name by weight; `otherwise` if no weight is positive.
std::string pick(const std::map<std::string, double>& weights, const std::string& otherwise, splitmix64& random) {
  auto total = 0.0;
  for (const auto& [name, weight] : weights)
    total += std::max(weight, 0.0);
  auto at = random.uniform() * total;
  auto out = otherwise;
  for (const auto& [name, weight] : weights) {
    if (weight <= 0.0)
      continue;
    out = name;
    if (at < weight)
      break;
    at -= weight;
  }
  return out;
}

// A second parent by tournament among the other valid nodes; the first parent itself if there is none.
uint64_t second_parent(const search_tree& tree, const openness& may, uint64_t first, splitmix64& random) {
  std::vector<uint64_t> others;
  const auto best_known = best_verified(tree);
  for (const auto& n : tree.nodes())
    if (n.index != 0 && n.index != first && n.phase == node_phase::finished && n.result == verdict::pass
        && n.duplicate_of == 0 && !may.banned(n.index) && is_believed(tree, n, best_known))
      others.push_back(n.index);
  if (others.empty())
    return first;
  auto best = others[random.below(others.size())];
  for (int i = 1; i < tournament_size; ++i) {
    auto baseline = others[random.below(others.size())];
    if (tree.at(baseline).speedup > tree.at(best).speedup)
      best = baseline;
  }
  return best;
}

const selection_policy* find_policy(std::string_view name) {
  for (const auto& p : selection_policies())
    if (p->name() == name)
      return p.get();
  return nullptr;
}

} // namespace

std::vector<std::string> policy_names() {
  std::vector<std::string> out;
  for (const auto& p : selection_policies())
    out.emplace_back(p->name());
  return out;
}

uint64_t steps_begun(const search_tree& tree, uint64_t given) {
  const auto nodes = tree.size() - 1;
  return nodes - std::min<uint64_t>(given, nodes);
}

selection select(const search_tree& tree, const policy_options& options, uint64_t seed) {
  splitmix64 random{seed};
  selection out;
  const auto next = steps_begun(tree, options.given);
  if (next < options.drafts) {
    out.parents = {0};
    out.policy = "draft";
    out.memory = "none";
    out.draft = true;
    out.draft_index = next;
    out.statistics["draft_index"] = static_cast<double>(next);
    return out;
  }

  auto weights = options.policies;
  std::erase_if(weights, [](const auto& p) { return find_policy(p.first) == nullptr; });
  out.policy = pick(weights, fallback_policy, random);
  out.memory = pick(options.memory, "parent", random);
  openness may{tree, options};
  auto parent = find_policy(out.policy)->select(tree, may, options, random, out.statistics);
  // Without memory the step starts afresh: from the reference, wherever the policy stands.
  if (out.memory == "none") {
    out.statistics["fresh_start_instead_of"] = static_cast<double>(parent);
    parent = 0;
  }
  out.parents = {parent};
  out.statistics["fitness"] = tree.at(parent).speedup;
  if (parent != 0 && random.uniform() < options.combine)
    if (auto second = second_parent(tree, may, parent, random); second != parent)
      out.parents.push_back(second);
  return out;
}

} // namespace kevolve
