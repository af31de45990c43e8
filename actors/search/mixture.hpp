// The choice of the generator that makes the next candidate of a campaign. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kevolve {

struct generator_load {
  double weight = 1.0;
  uint64_t at_work = 0; // steps that it has not answered yet
  uint64_t most = 0;    // of these at once; 0: any number
  bool held = false;    // cannot be asked now
};

// Tells if a generator can take another step now.
bool has_room(const generator_load& g);

// A generator's yield: the gain and the cost of its steps.
struct generator_yield {
  uint64_t steps = 0;
  double gain = 0.0;    // sum of ln(speedup / best before) over those that were faster than the best before
  double seconds = 0.0; // proposing, compiling, judging
  double money = 0.0;   // what is known of it
};

// Returns the weights in force: those given, moved towards what gains more for what it takes (the memory operators).
// Cost is the mean of its shares of all time and of all money spent. Yields are smoothed by steps of the average kind,
// so that nothing is judged by its first few steps. No weight falls below a quarter or rises above four times what was
// given: an operator without gain now may gain later. A heuristic in the manner of probability matching; with equal
// yields nothing changes.
std::vector<double> adapted_weights(const std::vector<double>& given, const std::vector<generator_yield>& yields);

// Picks a generator at random, by weight, among those with weight that are not held and have room for another step.
// While all with weight are held, the first one that has room stands in, whatever its weight. Returns nothing if none
// can take a step. The same seed gives the same choice.
std::optional<size_t> pick_generator(const std::vector<generator_load>& generators, uint64_t seed);

} // namespace kevolve
