#include "actors/search/policies/drawing.hpp"
#include "actors/search/policies/policies.hpp"

#include <algorithm>
#include <cmath>

namespace kevolve {

namespace {

using island = populations::island;

// Returns a parent of the population: the best of a few entrants, or one by its rank with a linear pressure of 2.
uint64_t parent_of(const search_tree& tree, const std::vector<uint32_t>& population, const evolution_options& o,
                   splitmix64& random) {
  const auto n = population.size();
  if (o.parents == parent_choice::rank) { // the density 2 (1 - x) over the ranks: x = 1 - sqrt(u)
    const auto x = 1.0 - std::sqrt(random.uniform());
    return population[std::min(n - 1, static_cast<size_t>(x * static_cast<double>(n)))];
  }
  auto best = population[random.below(n)];
  for (uint64_t i = 1; i < o.tournament; ++i)
    if (const auto other = population[random.below(n)];
        policies::discounted(tree.at(other)) > policies::discounted(tree.at(best)))
      best = other;
  return best;
}

// Returns the fittest of an island; 0 if it has none.
uint64_t best_of(const island& i) {
  return i.population.empty() ? 0 : i.population.front();
}

// Returns the candidates begun on an island since its best.
uint64_t since_best(const island& i) {
  const auto best = static_cast<uint32_t>(best_of(i));
  return static_cast<uint64_t>(i.members.end() - std::upper_bound(i.members.begin(), i.members.end(), best));
}

// Improves the populations of islands, without generations: each step goes to the island with the fewest candidates
// begun. Its parent is a cell's fittest, or of the population by tournament or rank; a step in flight counts as one
// that brought nothing. Some steps take a second parent of the island, and a few take theirs from the island before.
// The weakest island begins anew from an elite of the others once its best is old. Sources: Whitley, Rana and
// Heckendorn, "The island model genetic algorithm", 1999; Mouret and Clune, "Illuminating search spaces by mapping
// elites", 2015; Whitley, "The GENITOR algorithm", ICGA 1989, for the steady state and ranks; Romera-Paredes et al.,
// "Mathematical discoveries from program search with large language models", Nature 2023, for islands that begin anew.
// The constants are the defaults of evolution_options.
class evolution_policy : public selection_policy {
public:
  std::string_view name() const override { return "evolution"; }
  std::string_view description() const override {
    return "improves populations on islands, with cells of unlike candidates and second parents";
  }
  std::vector<std::string_view> settings() const override {
    return {"evolution.islands",    "evolution.population",   "evolution.parents",
            "evolution.tournament", "evolution.elites",       "evolution.crossover",
            "evolution.migration",  "evolution.reseed_after", "evolution.axes"};
  }

  uint64_t select(const search_tree& tree, const policy_options& options, splitmix64& random,
                  selection_statistics& statistics) const override {
    const auto& o = options.evolution;
    auto& all = tree.index().islands(tree.nodes(), o);
    const auto& nodes = tree.nodes();
    size_t here = 0;
    size_t weakest = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      here = all.at(i, nodes).begun < all.at(here, nodes).begun ? i : here;
      weakest = speed(tree, all.at(i, nodes)) < speed(tree, all.at(weakest, nodes)) ? i : weakest;
    }
    statistics["island"] = static_cast<double>(here + 1);
    const auto& home = all.at(here, nodes);
    if (here == weakest && all.size() > 1 && since_best(home) >= o.reseed_after)
      if (const auto elite = elite_elsewhere(tree, all, here, random); elite != 0) {
        statistics["founds"] = 1.0;
        return elite;
      }
    auto from = here;
    if (all.size() > 1 && random.chance(o.migration)) {
      from = (here + all.size() - 1) % all.size();
      statistics["migrates_from"] = static_cast<double>(from + 1);
    }
    const auto& source = all.at(from, nodes);
    if (policies::faster_than_reference(tree, source.population).empty())
      return founder_of(tree, home, random);
    if (random.chance(o.elites)) {
      const auto elites = populations::elites_of(source);
      statistics["cells"] = static_cast<double>(elites.size());
      return elites[random.below(elites.size())];
    }
    return parent_of(tree, source.population, o, random);
  }

  double share_of_second_parents(const policy_options& options) const override { return options.evolution.crossover; }

  uint64_t second_parent(const search_tree& tree, const policy_options& options, uint64_t first, splitmix64& random,
                         const selection_statistics& statistics) const override {
    auto& all = tree.index().islands(tree.nodes(), options.evolution);
    auto others = all.at(static_cast<size_t>(statistics.at("island")) - 1, tree.nodes()).population;
    std::erase(others, static_cast<uint32_t>(first));
    return others.empty() ? first : parent_of(tree, others, options.evolution, random);
  }

private:
  static double speed(const search_tree& tree, const island& i) {
    return i.population.empty() ? 0.0 : tree.at(i.population.front()).speedup;
  }

  // Returns an elite of another island, the faster of two draws, if one is faster than the island's own best.
  static uint64_t elite_elsewhere(const search_tree& tree, populations& all, size_t here, splitmix64& random) {
    std::vector<uint32_t> elites;
    for (size_t i = 0; i < all.size(); ++i)
      if (i != here) {
        const auto some = populations::elites_of(all.at(i, tree.nodes()));
        elites.insert(elites.end(), some.begin(), some.end());
      }
    std::erase_if(elites, [&](uint32_t e) { return tree.at(e).speedup <= speed(tree, all.at(here, tree.nodes())); });
    if (elites.empty())
      return 0;
    const auto a = elites[random.below(elites.size())];
    const auto b = elites[random.below(elites.size())];
    return tree.at(a).speedup >= tree.at(b).speedup ? a : b;
  }

  // Returns the parent of an island that has nothing yet: what it began anew from, else the reference, else any valid
  // node.
  static uint64_t founder_of(const search_tree& tree, const island& i, splitmix64& random) {
    const auto& may = tree.index().may();
    if (i.began_with != 0)
      if (const auto parent = tree.at(i.began_with).parents.front(); may.is_improvable(parent))
        return parent;
    if (may.open(0))
      return 0;
    return may.improvable(random.below(may.improvable()));
  }
};

} // namespace

std::unique_ptr<const selection_policy> policies::evolution() {
  return std::make_unique<evolution_policy>();
}

} // namespace kevolve
