#include "actors/search/policies/drawing.hpp"
#include "actors/search/policies/policies.hpp"

namespace kevolve {

namespace {

// Improves the fittest `beam_width` valid nodes in turn: the one with the fewest children begun, of equals the fitter.
// A step in flight is a child begun, so no generation waits for another. Sources: Lowerre, "The Harpy speech
// recognition system", 1976; Adams et al., "Learning to optimize Halide with tree search and random programs", SIGGRAPH
// 2019, for beams over schedules. A width of 8 is the default of policy_options.
class beam_policy : public selection_policy {
public:
  std::string_view name() const override { return "beam"; }
  std::string_view description() const override { return "improves each of the fittest candidates in turn"; }
  std::vector<std::string_view> settings() const override { return {"beam_width"}; }

  uint64_t select(const search_tree& tree, const policy_options& options, splitmix64&,
                  selection_statistics& statistics) const override {
    const auto beam =
        policies::faster_than_reference(tree, tree.index().may().fittest(tree.nodes(), options.beam_width));
    statistics["among"] = static_cast<double>(beam.size());
    return beam.empty() ? 0 : policies::least_tried(tree, beam);
  }
};

} // namespace

std::unique_ptr<const selection_policy> policies::beam() {
  return std::make_unique<beam_policy>();
}

} // namespace kevolve
