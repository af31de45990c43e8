// Choices that several policies share: by the fitness of a node with steps in flight, and by its children.
#pragma once

#include "actors/search/policy.hpp"

#include <cstdint>
#include <vector>

namespace kevolve::policies {

// The visits that a node is taken to have had before its first. With fewer, steps under way turn others away from the
// best node: on rugged landscapes of 300 steps, sixteen at once reach 0.93 of one at a time with 1, and 0.97 with 32.
inline constexpr double earlier_visits = 32.0;

// Returns a node's speed-up, less by the share of its visits that are under way: each counts as one that brought
// nothing, so that concurrent steps spread.
inline double discounted(const tree_node& n) {
  const auto visits = earlier_visits + static_cast<double>(n.visits);
  return n.speedup * visits / (visits + static_cast<double>(n.virtual_loss));
}

// Leaves candidates out that are no faster than the reference, while that may be improved instead.
inline std::vector<uint32_t> faster_than_reference(const search_tree& tree, std::vector<uint32_t> among) {
  if (tree.index().may().open(0))
    std::erase_if(among, [&](uint32_t i) { return tree.at(i).speedup <= 1.0; });
  return among;
}

// Returns the node of the highest discounted speed-up, the first of equals; `among` is not empty.
inline uint64_t most_promising(const search_tree& tree, const std::vector<uint32_t>& among) {
  auto best = among.front();
  for (const auto i : among)
    if (discounted(tree.at(i)) > discounted(tree.at(best)))
      best = i;
  return best;
}

// Returns the node with the fewest children begun, the first of equals; `among` is not empty.
inline uint64_t least_tried(const search_tree& tree, const std::vector<uint32_t>& among) {
  auto best = among.front();
  for (const auto i : among)
    if (tree.at(i).children.size() < tree.at(best).children.size())
      best = i;
  return best;
}

} // namespace kevolve::policies
