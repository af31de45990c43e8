#include "actors/search/openness.hpp"
#include "actors/search/policies/policies.hpp"

namespace kevolve {

namespace {

// Improves any valid node, each as likely as the others. It has no settings.
class random_policy : public selection_policy {
public:
  std::string_view name() const override { return "random"; }
  std::string_view description() const override { return "improves any valid candidate, each as likely as the others"; }

  uint64_t select(const search_tree& tree, const openness& may, const policy_options&, splitmix64& random,
                  selection_statistics& statistics) const override {
    auto among = improvable(tree, may);
    statistics["among"] = static_cast<double>(among.size());
    return among[random.below(among.size())];
  }
};

} // namespace

std::unique_ptr<const selection_policy> policies::random() {
  return std::make_unique<random_policy>();
}

} // namespace kevolve
