#include "actors/search/mixture.hpp"

#include <random>

namespace kevolve {

std::optional<size_t> pick_generator(const std::vector<generator_load>& generators, uint64_t seed) {
  double total = 0.0;
  std::optional<size_t> last;
  const auto may = [](const generator_load& g) { return g.weight > 0.0 && (g.most == 0 || g.at_work < g.most); };
  for (size_t i = 0; i < generators.size(); ++i)
    if (may(generators[i])) {
      total += generators[i].weight;
      last = i;
    }
  if (!last)
    return std::nullopt;
  std::mt19937_64 random{seed};
  auto at = std::uniform_real_distribution<double>{0.0, total}(random);
  for (size_t i = 0; i < generators.size(); ++i) {
    if (!may(generators[i]))
      continue;
    if (at < generators[i].weight)
      return i;
    at -= generators[i].weight;
  }
  return last;
}

} // namespace kevolve
