#include "actors/search/openness.hpp"
#include "actors/search/policies/policies.hpp"

#include <algorithm>
#include <cmath>

namespace kevolve {

namespace {

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

// Descends by the upper confidence bound q + c*sqrt(ln N/n) until a node may have one more child, where q is the best
// speed-up below a child, scaled to [0, 1] over the tree. Sources: Kocsis and Szepesvari, "Bandit based Monte-Carlo
// planning", ECML 2006; Couetoux et al., "Continuous upper confidence trees", LION 2011, for the progressive widening.
// c = 1 and a widening of 2 sqrt(n) are the defaults of policy_options.
class uct_policy : public selection_policy {
public:
  std::string_view name() const override { return "uct"; }
  std::string_view description() const override {
    return "descends by the upper confidence bound: value first, then the less visited";
  }
  std::vector<std::string_view> settings() const override { return {"exploration", "widening", "widening_exponent"}; }

  uint64_t select(const search_tree& tree, const openness& may, const policy_options& options, splitmix64&,
                  selection_statistics& statistics) const override {
    auto range = range_of(tree);
    statistics["q_min"] = range.low;
    statistics["q_max"] = range.high;
    uint64_t at = 0;
    auto depth = 0.0;
    while (true) {
      const auto& n = tree.at(at);
      auto limit = options.widening * std::pow(visits_of(n), options.widening_exponent);
      const tree_node* best = nullptr;
      auto best_score = 0.0;
      auto best_q = 0.0;
      for (auto c : n.children) {
        const auto& child = tree.at(c);
        if (!may.reachable(c))
          continue;
        auto q = normalised_value(child, range);
        auto score = q + options.exploration * std::sqrt(std::log(visits_of(n)) / visits_of(child));
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
      // The figures are those of the last step down.
      statistics["q"] = best_q;
      statistics["score"] = best_score;
      statistics["parent_visits"] = visits_of(n);
      at = best->index;
      depth += 1.0;
    }
  }
};

} // namespace

std::unique_ptr<const selection_policy> policies::uct() {
  return std::make_unique<uct_policy>();
}

} // namespace kevolve
