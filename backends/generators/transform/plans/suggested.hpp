// Suggestions as steps: each sequence of moves at the places of a program that its pattern describes best.
#pragma once

#include "backends/generator.hpp"
#include "backends/generators/transform/moves/registry.hpp"
#include "runtime/base/random.hpp"

#include <string>
#include <vector>

namespace kevolve::transform {

struct suggested_step {
  std::string name; // of the suggestion
  genome moves;     // that apply, in order, after those that made the program
  double weight = 0.0;
};

// Returns the steps that apply to the program, at most four a suggestion, in the order of the suggestions. A step
// leaves out moves of its sequence that do not apply, up to two fifths of them.
std::vector<suggested_step> suggested_steps(const std::vector<move_suggestion>& from, const program& p,
                                            const environment& env);

// Return one of several steps, which must not be empty. most_promising() returns the first with the greatest weight.
// drawn() draws by the square of weights, since a large gain is worth more than several small ones.
const suggested_step* most_promising(const std::vector<const suggested_step*>& among);
const suggested_step* drawn(const std::vector<const suggested_step*>& among, splitmix64& random);

} // namespace kevolve::transform
