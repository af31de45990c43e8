// Made-up landscapes: every list of a few moves, with figures that a formula gives.
#pragma once

#include "tools/bench/landscape/landscape.hpp"

#include <string>

namespace kevolve::bench {

// Returns the 31 ordered subsets of five moves, a to e. Each move makes a candidate 1.3 times as fast, so that abcde
// is the best. Lists of one move are the first drafts. Each figure has `pairs` pairs that spread by `noise`.
landscape made_up(double noise = 0.0, size_t pairs = 5);

// Returns a variable that ctest sets.
std::string environment(const char* name);

// Adds a candidate with one pair on one shape.
void put(landscape& to, step_kind kind, const std::string& genome, double speedup);

} // namespace kevolve::bench
