#include "actors/search/policy.hpp"

#include "actors/search/surprise.hpp"

#include <algorithm>
#include <cmath>

namespace kevolve {

namespace {

// A node from which nothing more could be proposed this often is left alone while others are open.
constexpr uint64_t exhausted_limit = 3;

// Nodes that compete to be the second parent.
constexpr int tournament_size = 3;

// splitmix64: the standard's distributions differ between libraries, a replay must not.
class random_draws {
public:
  explicit random_draws(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    auto z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  // In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }
  // In [0, n). The bias is below n / 2^64.
  uint64_t below(uint64_t n) { return next() % n; }

private:
  uint64_t state_;
};

// A name by weight; `otherwise` if no weight is positive.
std::string pick(const std::map<std::string, double>& weights, const std::string& otherwise, random_draws& random) {
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

// Which nodes may be improved on: they hold a judged candidate that is believed and that no node before them holds, and
// their generator is not out of ideas.
class openness {
public:
  openness(const search_tree& tree, const policy_options& options)
      : best_(best_verified(tree)), open_(tree.size()), reachable_(tree.size()), pinned_(options.pinned),
        banned_(banned_nodes(tree, options.banned)) {
    mark(tree, exhausted_limit);
    if (!reachable_[0])
      mark(tree, UINT64_MAX); // all tried to the end: once more, with other seeds
  }

  bool open(uint64_t index) const { return open_[index]; }
  bool banned(uint64_t index) const { return !banned_.empty() && banned_[index]; }
  // The node or one below it.
  bool reachable(uint64_t index) const { return reachable_[index]; }

private:
  void mark(const search_tree& tree, uint64_t limit) {
    // Children come after their parents.
    for (auto i = tree.size(); i-- > 0;) {
      const auto& n = tree.at(i);
      uint64_t exhausted = 0;
      auto below = false;
      for (auto c : n.children) {
        const auto& child = tree.at(c);
        if (child.phase == node_phase::finished && child.result == verdict::none)
          ++exhausted;
        below = below || reachable_[c];
      }
      open_[i] = n.phase == node_phase::finished && n.result != verdict::none && n.duplicate_of == 0 && !banned(i)
                 && (pinned_.contains(i) || (exhausted < limit && is_believed(tree, n, best_)));
      reachable_[i] = open_[i] || below;
    }
  }

  double best_;
  std::vector<bool> open_;
  std::vector<bool> reachable_;
  const std::set<uint64_t>& pinned_;
  std::vector<bool> banned_; // empty: none is
};

struct value_range {
  double low = 0.0;
  double high = 0.0;
};

value_range range_of(const search_tree& tree) {
  value_range out{tree.at(0).speedup, tree.at(0).speedup};
  for (const auto& n : tree.nodes())
    if (n.phase == node_phase::finished && n.result == verdict::pass) {
      out.low = std::min(out.low, n.speedup);
      out.high = std::max(out.high, n.speedup);
    }
  return out;
}

// q̂ in [0, 1]; a subtree without a valid candidate is worth 0. Nodes in flight count as visits that brought
// nothing, so that concurrent selections spread.
double normalised_value(const tree_node& n, const value_range& range) {
  if (n.value <= 0.0)
    return 0.0;
  auto q = range.high > range.low ? std::clamp((n.value - range.low) / (range.high - range.low), 0.0, 1.0) : 1.0;
  return q * static_cast<double>(n.visits) / static_cast<double>(n.visits + n.virtual_loss);
}

double visits_of(const tree_node& n) {
  return static_cast<double>(n.visits + n.virtual_loss);
}

// Descends by upper confidence bound until a node may have one more child.
uint64_t select_uct(const search_tree& tree, const policy_options& o, const openness& may,
                    std::map<std::string, double>& statistics) {
  auto range = range_of(tree);
  statistics["q_min"] = range.low;
  statistics["q_max"] = range.high;
  uint64_t at = 0;
  auto depth = 0.0;
  while (true) {
    const auto& n = tree.at(at);
    auto limit = o.widening * std::pow(visits_of(n), o.widening_exponent);
    const tree_node* best = nullptr;
    auto best_score = 0.0;
    auto best_q = 0.0;
    for (auto c : n.children) {
      const auto& child = tree.at(c);
      if (!may.reachable(c))
        continue;
      auto q = normalised_value(child, range);
      auto score = q + o.exploration * std::sqrt(std::log(visits_of(n)) / visits_of(child));
      if (!best || score > best_score) {
        best = &child;
        best_score = score;
        best_q = q;
      }
    }
    auto wide = static_cast<double>(n.children.size()) >= limit || !may.open(at);
    if (!best || !wide) {
      statistics["depth"] = depth;
      statistics["visits"] = static_cast<double>(n.visits);
      statistics["virtual_loss"] = static_cast<double>(n.virtual_loss);
      statistics["children"] = static_cast<double>(n.children.size());
      statistics["children_limit"] = limit;
      return at;
    }
    // Of the last step down.
    statistics["q"] = best_q;
    statistics["score"] = best_score;
    statistics["parent_visits"] = visits_of(n);
    at = best->index;
    depth += 1.0;
  }
}

// Valid nodes that may be improved, the root among them.
std::vector<uint64_t> improvable(const search_tree& tree, const openness& may) {
  std::vector<uint64_t> out;
  for (const auto& n : tree.nodes())
    if (may.open(n.index) && n.result == verdict::pass)
      out.push_back(n.index);
  if (out.empty())
    out.push_back(0);
  return out;
}

uint64_t select_greedy(const search_tree& tree, const openness& may, std::map<std::string, double>& statistics) {
  auto among = improvable(tree, may);
  auto best = *std::max_element(among.begin(), among.end(),
                                [&](uint64_t a, uint64_t b) { return tree.at(a).speedup < tree.at(b).speedup; });
  statistics["among"] = static_cast<double>(among.size());
  return best;
}

uint64_t select_random(const search_tree& tree, const openness& may, random_draws& random,
                       std::map<std::string, double>& statistics) {
  auto among = improvable(tree, may);
  statistics["among"] = static_cast<double>(among.size());
  return among[random.below(among.size())];
}

// A second parent by tournament among the other valid nodes; the first parent itself if there is none.
uint64_t second_parent(const search_tree& tree, const openness& may, uint64_t first, random_draws& random) {
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

} // namespace

std::vector<std::string> policy_names() {
  return {"greedy", "random", "uct"};
}

std::vector<bool> banned_nodes(const search_tree& tree, const std::set<uint64_t>& banned) {
  std::vector<bool> out;
  if (banned.empty())
    return out;
  out.resize(tree.size());
  // Children come after their parents.
  for (const auto& n : tree.nodes())
    out[n.index] = banned.contains(n.index) || (n.index != 0 && out[n.parents.front()]);
  return out;
}

bool is_banned(const search_tree& tree, const std::set<uint64_t>& banned, uint64_t index) {
  if (banned.empty())
    return false;
  for (; index != 0; index = tree.at(index).parents.front())
    if (banned.contains(index))
      return true;
  return false;
}

selection select(const search_tree& tree, const policy_options& options, uint64_t seed) {
  random_draws random{seed};
  selection out;
  auto next = tree.size() - 1 - std::min<uint64_t>(options.given, tree.size() - 1);
  if (next < options.drafts) {
    out.parents = {0};
    out.policy = "draft";
    out.memory = "none";
    out.draft = true;
    out.draft_index = next;
    out.statistics["draft_index"] = static_cast<double>(next);
    return out;
  }

  auto policies = options.policies;
  auto known = policy_names();
  std::erase_if(policies, [&](const auto& p) { return std::find(known.begin(), known.end(), p.first) == known.end(); });
  out.policy = pick(policies, "uct", random);
  out.memory = pick(options.memory, "parent", random);
  openness may{tree, options};
  uint64_t parent = 0;
  if (out.policy == "greedy")
    parent = select_greedy(tree, may, out.statistics);
  else if (out.policy == "random")
    parent = select_random(tree, may, random, out.statistics);
  else
    parent = select_uct(tree, options, may, out.statistics);
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
