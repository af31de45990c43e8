#include "actors/search/surprise.hpp"

#include <algorithm>

namespace kevolve {

namespace {

template <class Parents>
double threshold_of(const tree_nodes& nodes, const Parents& parents, double best) {
  double from = 1.0;
  for (auto p : parents)
    if (p < nodes.size())
      from = std::max(from, nodes[p].speedup);
  return std::min(surprise_over_parent * from, surprise_over_best * std::max(best, 1.0));
}

} // namespace

double surprise_threshold(const search_tree& tree, const std::vector<uint64_t>& parents, double best) {
  return threshold_of(tree.nodes(), parents, best);
}

double best_verified(const search_tree& tree) {
  return tree.index().may().best_verified();
}

bool is_believed(const tree_nodes& nodes, const tree_node& node, double best) {
  return node.verified || node.speedup < threshold_of(nodes, node.parents, best);
}

} // namespace kevolve
