#include "actors/search/policies/policies.hpp"

namespace kevolve {

namespace {

// Improves any valid node, each as likely as the others. It has no settings.
class random_policy : public selection_policy {
public:
  std::string_view name() const override { return "random"; }
  std::string_view description() const override { return "improves any valid candidate, each as likely as the others"; }

  uint64_t select(const search_tree& tree, const policy_options&, splitmix64& random,
                  selection_statistics& statistics) const override {
    const auto& may = tree.index().may();
    const auto among = may.improvable();
    statistics["among"] = static_cast<double>(among);
    return may.improvable(random.below(among));
  }
};

} // namespace

std::unique_ptr<const selection_policy> policies::random() {
  return std::make_unique<random_policy>();
}

} // namespace kevolve
