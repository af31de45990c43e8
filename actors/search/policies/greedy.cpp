#include "actors/search/policies/drawing.hpp"
#include "actors/search/policies/policies.hpp"

namespace kevolve {

namespace {

// The fittest so many may give way to each other while steps below them are in flight.
constexpr size_t compared = 8;

// Improves the fittest valid node; of equals, the first. A fitness counts less while steps below it are in flight, so
// that concurrent steps spread over the fittest. It has no settings, and draws nothing.
class greedy_policy : public selection_policy {
public:
  std::string_view name() const override { return "greedy"; }
  std::string_view description() const override { return "improves the fittest valid candidate"; }

  uint64_t select(const search_tree& tree, const policy_options& options, splitmix64&,
                  selection_statistics& statistics) const override {
    const auto& may = tree.index().may();
    statistics["among"] = static_cast<double>(may.improvable());
    const auto fittest = may.fittest();
    if (fittest == 0 || !options.spreads || tree.at(fittest).virtual_loss == 0)
      return fittest;
    return policies::most_promising(tree, may.fittest(tree.nodes(), compared));
  }
};

} // namespace

std::unique_ptr<const selection_policy> policies::greedy() {
  return std::make_unique<greedy_policy>();
}

} // namespace kevolve
