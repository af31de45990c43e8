#include "actors/search/policy.hpp"

#include "runtime/base/memory_operators.hpp"

#include <algorithm>

namespace kevolve {

namespace {

// Nodes that compete to be the second parent.
constexpr int tournament_size = 3;

// Chooses where no policy of this build has weight. Replays of earlier campaigns rely on it, so it is not the default.
constexpr const char* fallback_policy = "uct";

// Returns a name by weight; `otherwise` if no weight is positive.
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

const selection_policy* find_policy(std::string_view name) {
  for (const auto& p : selection_policies())
    if (p->name() == name)
      return p.get();
  return nullptr;
}

// Returns the weights of the memory operators in force: those given, moved towards what gains more, with a larger share
// without memory while the search stalls. The statistics record the change.
std::map<std::string, double> memory_weights(const search_tree& tree, const policy_options& options,
                                             selection_statistics& statistics) {
  auto weights = options.memory;
  const auto& progress = tree.index().progress();
  if (options.adapt_memory) {
    std::vector<double> given;
    for (const auto name : memory_operator_texts) {
      const auto found = weights.find(std::string{name});
      given.push_back(found == weights.end() ? 0.0 : found->second);
    }
    const auto adapted = adapted_weights(given, progress.yields());
    for (size_t i = 0; i < memory_operator_texts.size(); ++i) {
      weights[std::string{memory_operator_texts[i]}] = adapted[i];
      statistics["memory." + std::string{memory_operator_texts[i]}] = adapted[i];
    }
  }
  if (options.stall.restarts <= 0.0 || progress.since_gain() < options.stall.after)
    return weights;
  auto rest = 0.0;
  for (const auto& [name, weight] : weights)
    rest += starts_afresh(name) ? 0.0 : std::max(weight, 0.0);
  auto& none = weights[to_string(memory_operator::none)];
  none = std::max(none, rest * options.stall.restarts / (1.0 - options.stall.restarts));
  statistics["stalled_for"] = static_cast<double>(progress.since_gain());
  statistics["restarts"] = none / (none + rest);
  return weights;
}

} // namespace

// Returns a second parent by tournament among the other valid nodes.
uint64_t selection_policy::second_parent(const search_tree& tree, const policy_options&, uint64_t first,
                                         splitmix64& random, const selection_statistics&) const {
  const auto& mates = tree.index().may().mates();
  const auto before = mates.contains(first) ? mates.rank(first) : mates.size();
  const auto others = mates.size() - (mates.contains(first) ? 1 : 0);
  if (others == 0)
    return first;
  const auto draw = [&] {
    const auto k = random.below(others);
    return mates.kth(k < before ? k : k + 1);
  };
  auto best = draw();
  for (int i = 1; i < tournament_size; ++i)
    if (const auto other = draw(); tree.at(other).speedup > tree.at(best).speedup)
      best = other;
  return best;
}

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
    out.memory = to_string(memory_operator::none);
    out.draft = true;
    out.draft_index = next;
    out.statistics["draft_index"] = static_cast<double>(next);
    return out;
  }

  auto weights = options.policies;
  std::erase_if(weights, [](const auto& p) { return find_policy(p.first) == nullptr; });
  out.policy = pick(weights, fallback_policy, random);
  out.memory = pick(memory_weights(tree, options, out.statistics), to_string(memory_operator::parent), random);
  tree.index().steer(tree.nodes(), options.pinned, options.banned, options.from_reference);
  const auto& policy = *find_policy(out.policy);
  out.switched = policy.due(tree, options);
  auto parent = policy.select(tree, options, random, out.statistics);
  // Without memory the step starts afresh: from the reference, wherever the policy stands.
  if (starts_afresh(out.memory)) {
    out.statistics["fresh_start_instead_of"] = static_cast<double>(parent);
    parent = 0;
  }
  out.parents = {parent};
  out.statistics["fitness"] = tree.at(parent).speedup;
  if (parent != 0 && random.uniform() < policy.share_of_second_parents(options))
    if (const auto second = policy.second_parent(tree, options, parent, random, out.statistics); second != parent)
      out.parents.push_back(second);
  return out;
}

node_origin origin_of(const std::string& policy, const std::string& memory, const selection_statistics& statistics,
                      bool draft) {
  node_origin out;
  out.draft = draft;
  if (draft || find_policy(policy) == nullptr)
    return out;
  out.memory = memory_operator_of(memory);
  if (const auto island = statistics.find("island"); island != statistics.end())
    out.island = static_cast<uint16_t>(island->second);
  out.founds = statistics.contains("founds");
  return out;
}

uint64_t add(search_tree& tree, const selection& s) {
  if (s.switched)
    tree.index().progress().switched(s.switched->to);
  return tree.add(s.parents, origin_of(s));
}

bool is_banned(const search_tree& tree, const std::set<uint64_t>& banned, uint64_t index) {
  if (banned.empty())
    return false;
  for (; index != 0; index = tree.at(index).parents.front())
    if (banned.contains(index))
      return true;
  return false;
}

} // namespace kevolve
