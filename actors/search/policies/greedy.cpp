#include "actors/search/openness.hpp"
#include "actors/search/policies/policies.hpp"

#include <algorithm>

namespace kevolve {

namespace {

// Improves the fittest valid node; of equals, the first. It has no settings, and draws nothing.
class greedy_policy : public selection_policy {
public:
  std::string_view name() const override { return "greedy"; }
  std::string_view description() const override { return "improves the fittest valid candidate"; }

  uint64_t select(const search_tree& tree, const openness& may, const policy_options&, splitmix64&,
                  selection_statistics& statistics) const override {
    auto among = improvable(tree, may);
    auto best = *std::max_element(among.begin(), among.end(),
                                  [&](uint64_t a, uint64_t b) { return tree.at(a).speedup < tree.at(b).speedup; });
    statistics["among"] = static_cast<double>(among.size());
    return best;
  }
};

} // namespace

std::unique_ptr<const selection_policy> policies::greedy() {
  return std::make_unique<greedy_policy>();
}

} // namespace kevolve
