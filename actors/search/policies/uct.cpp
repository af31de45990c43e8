#include "actors/search/policies/policies.hpp"

#include <cmath>

namespace kevolve {

namespace {

// Descends by the upper confidence bound q + c*sqrt(ln N/n) until a node may have one more child. q is the best
// speed-up below a child, scaled to [0, 1] over the tree. Below a node whose children have priors the bound is q +
// c*P*sqrt(N)/(1+n), where P is the child's share of the priors. Sources: Kocsis and Szepesvari, "Bandit based
// Monte-Carlo planning", ECML 2006; Rosin, "Multi-armed bandits with episode context", AMAI 2011, and Silver et al.,
// "Mastering the game of Go without human knowledge", Nature 2017, for the priors; Couetoux et al., "Continuous upper
// confidence trees", LION 2011, for the progressive widening. c = 1 and a widening of 2 sqrt(n) are the defaults of
// policy_options.
class uct_policy : public selection_policy {
public:
  std::string_view name() const override { return "uct"; }
  std::string_view description() const override {
    return "descends by the upper confidence bound: value first, then the less visited";
  }
  std::vector<std::string_view> settings() const override { return {"exploration", "widening", "widening_exponent"}; }

  uint64_t select(const search_tree& tree, const policy_options& options, splitmix64&,
                  selection_statistics& statistics) const override {
    auto& index = tree.index();
    statistics["q_min"] = index.range().low;
    statistics["q_max"] = index.range().high;
    uint64_t at = 0;
    auto depth = 0.0;
    while (true) {
      const auto& n = tree.at(at);
      const auto visits = static_cast<double>(uint64_t{n.visits} + n.virtual_loss);
      const auto limit = options.widening * std::pow(visits, options.widening_exponent);
      const auto wide = static_cast<double>(n.children.size()) >= limit || !index.may().open(at);
      const auto best = wide ? index.best_child(tree.nodes(), at, options.exploration) : 0;
      if (best == 0) {
        statistics["depth"] = depth;
        statistics["visits"] = static_cast<double>(n.visits);
        statistics["virtual_loss"] = static_cast<double>(n.virtual_loss);
        statistics["children"] = static_cast<double>(n.children.size());
        statistics["children_limit"] = limit;
        return at;
      }
      // The figures are those of the last step down.
      const auto line = index.line_of(tree.at(best));
      statistics["q"] = line.value;
      statistics["score"] = bound_of(line, {options.exploration, visits, index.prior_sum(tree.nodes(), at)});
      statistics["parent_visits"] = visits;
      at = best;
      depth += 1.0;
    }
  }
};

} // namespace

std::unique_ptr<const selection_policy> policies::uct() {
  return std::make_unique<uct_policy>();
}

} // namespace kevolve
