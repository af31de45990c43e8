#include "actors/search/policies/drawing.hpp"
#include "actors/search/policies/policies.hpp"

#include <algorithm>

namespace kevolve {

namespace {

constexpr size_t exploited = 4; // of the fittest, while the search gains
constexpr size_t broad = 32;    // of the fittest, while it does not

// Returns the change of phase that is due, if one is.
std::optional<phase_switch> switch_of(const search_progress& p, const stall_options& stall) {
  const auto text = [](uint64_t n) { return std::to_string(n) + (n == 1 ? " candidate" : " candidates"); };
  if (p.phase() == search_phase::exploit) {
    const auto idle = std::min(p.since_gain(), p.in_phase());
    if (idle < stall.after)
      return std::nullopt;
    return phase_switch{search_phase::broaden, text(idle) + " without a gain"};
  }
  if (p.since_gain() < p.in_phase())
    return phase_switch{search_phase::exploit,
                        "a gain after " + text(p.in_phase() - p.since_gain()) + " of a broad search"};
  if (p.in_phase() < stall.broaden)
    return std::nullopt;
  return phase_switch{search_phase::exploit, text(p.in_phase()) + " of a broad search without a gain"};
}

// Exploits until progress stalls, then broadens, then returns. It exploits as `greedy` does among the four fittest. A
// broad step takes, each as likely, the least tried of the 32 fittest, a cell's fittest of any island, or any valid
// node. Source: "FML-bench", 2605.17373, where a search that is greedy until it stalls and broad then beat six fixed
// policies. 24 candidates without a gain and 48 of a broad search are the defaults of policy_options.
class adaptive_policy : public selection_policy {
public:
  std::string_view name() const override { return "adaptive"; }
  std::string_view description() const override {
    return "exploits until progress stalls, then broadens, then returns";
  }
  std::vector<std::string_view> settings() const override { return {"stall.after", "stall.broaden"}; }

  std::optional<phase_switch> due(const search_tree& tree, const policy_options& options) const override {
    return switch_of(tree.index().progress(), options.stall);
  }

  uint64_t select(const search_tree& tree, const policy_options& options, splitmix64& random,
                  selection_statistics& statistics) const override {
    auto& index = tree.index();
    const auto& may = index.may();
    auto phase = index.progress().phase();
    if (const auto now = due(tree, options))
      phase = now->to;
    statistics["broad"] = phase == search_phase::broaden ? 1.0 : 0.0;
    statistics["since_gain"] = static_cast<double>(index.progress().since_gain());
    if (may.fittest() == 0) // nothing is faster than the reference
      return 0;
    const auto fittest = [&](size_t most) {
      return policies::faster_than_reference(tree, may.fittest(tree.nodes(), most));
    };
    if (phase == search_phase::exploit)
      return policies::most_promising(tree, fittest(exploited));
    const auto how = random.below(3);
    if (how == 0)
      return policies::least_tried(tree, fittest(broad));
    if (how == 1)
      if (const auto elites = elites_of_all(tree, options); !elites.empty())
        return elites[random.below(elites.size())];
    return may.improvable(random.below(may.improvable()));
  }

private:
  static std::vector<uint32_t> elites_of_all(const search_tree& tree, const policy_options& options) {
    auto& islands = tree.index().islands(tree.nodes(), options.evolution);
    std::vector<uint32_t> out;
    for (size_t i = 0; i < islands.size(); ++i) {
      const auto some = populations::elites_of(islands.at(i, tree.nodes()));
      out.insert(out.end(), some.begin(), some.end());
    }
    return out;
  }
};

} // namespace

std::unique_ptr<const selection_policy> policies::adaptive() {
  return std::make_unique<adaptive_policy>();
}

} // namespace kevolve
