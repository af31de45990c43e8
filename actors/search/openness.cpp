#include "actors/search/openness.hpp"

#include "actors/search/surprise.hpp"

namespace kevolve {

namespace {

// A node from which nothing more could be proposed this often is left alone while others are open.
constexpr uint64_t exhausted_limit = 3;

} // namespace

openness::openness(const search_tree& tree, const policy_options& options)
    : best_(best_verified(tree)), open_(tree.size()), reachable_(tree.size()), pinned_(options.pinned),
      banned_(banned_nodes(tree, options.banned)) {
  mark(tree, exhausted_limit);
  if (!reachable_[0])
    mark(tree, UINT64_MAX); // all tried to the end: once more, with other seeds
  if (!options.from_reference)
    for (const auto& n : tree.nodes())
      if (n.index != 0 && open_[n.index] && n.result == verdict::pass && n.speedup > 1.0) {
        open_[0] = false;
        break;
      }
}

void openness::mark(const search_tree& tree, uint64_t limit) {
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

std::vector<uint64_t> improvable(const search_tree& tree, const openness& may) {
  std::vector<uint64_t> out;
  for (const auto& n : tree.nodes())
    if (may.open(n.index) && n.result == verdict::pass)
      out.push_back(n.index);
  if (out.empty())
    out.push_back(0);
  return out;
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

} // namespace kevolve
