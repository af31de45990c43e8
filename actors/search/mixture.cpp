#include "actors/search/mixture.hpp"

#include "runtime/base/random.hpp"

#include <algorithm>

namespace kevolve {

bool has_room(const generator_load& g) {
  return !g.held && (g.most == 0 || g.at_work < g.most);
}

std::vector<double> adapted_weights(const std::vector<double>& given, const std::vector<generator_yield>& yields) {
  constexpr double pseudo_steps = 8.0;
  constexpr double least = 0.25;
  constexpr double most = 4.0;
  generator_yield all;
  for (const auto& y : yields) {
    all.steps += y.steps;
    all.gain += y.gain;
    all.seconds += y.seconds;
    all.money += y.money;
  }
  if (all.steps == 0 || all.gain <= 0.0 || all.seconds <= 0.0)
    return given;
  const auto steps = static_cast<double>(all.steps);
  const auto cost_of = [&](const generator_yield& y) { // as a share of all that was spent
    const auto time = y.seconds / all.seconds;
    return all.money > 0.0 ? (time + y.money / all.money) / 2 : time;
  };
  std::vector<double> out = given;
  for (size_t i = 0; i < out.size() && i < yields.size(); ++i) {
    const auto gain = yields[i].gain + pseudo_steps * all.gain / steps;
    const auto cost = cost_of(yields[i]) + pseudo_steps / steps;
    out[i] *= std::clamp(gain / cost / all.gain, least, most);
  }
  return out;
}

std::optional<size_t> pick_generator(const std::vector<generator_load>& generators, uint64_t seed) {
  if (std::all_of(generators.begin(), generators.end(), [](const auto& g) { return g.held || g.weight <= 0.0; })) {
    const auto fallback = std::find_if(generators.begin(), generators.end(), has_room);
    return fallback == generators.end() ? std::nullopt
                                        : std::optional<size_t>(static_cast<size_t>(fallback - generators.begin()));
  }
  double total = 0.0;
  std::optional<size_t> last;
  const auto may = [](const generator_load& g) { return g.weight > 0.0 && has_room(g); };
  for (size_t i = 0; i < generators.size(); ++i)
    if (may(generators[i])) {
      total += generators[i].weight;
      last = i;
    }
  if (!last)
    return std::nullopt;
  // The policy draws from the same seed: a stream of its own keeps the two choices independent.
  constexpr uint64_t generator_stream = 1;
  splitmix64 random{mix_seed(seed, generator_stream)};
  auto at = random.uniform() * total;
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
