#include "actors/search/surprise.hpp"

#include <algorithm>

namespace kevolve {

double surprise_threshold(const search_tree& tree, const std::vector<uint64_t>& parents, double best) {
  double from = 1.0;
  for (auto p : parents)
    if (p < tree.size())
      from = std::max(from, tree.at(p).speedup);
  return std::min(surprise_over_parent * from, surprise_over_best * std::max(best, 1.0));
}

double best_verified(const search_tree& tree) {
  double out = 1.0;
  for (const auto& n : tree.nodes())
    if (n.verified)
      out = std::max(out, n.speedup);
  return out;
}

bool is_believed(const search_tree& tree, const tree_node& node, double best) {
  return node.verified || node.speedup < surprise_threshold(tree, node.parents, best);
}

} // namespace kevolve
