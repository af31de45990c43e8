// The words by which settings choose between two ways.
#pragma once

namespace kevolve {

// These say how generators, and the operators of memory, are drawn.
namespace drawn_by {
inline constexpr const char* weights = "weights"; // as they are given
inline constexpr const char* bandit = "bandit";   // the weights follow what each has gained
} // namespace drawn_by

// These say how the policy evolution chooses a parent from a population.
namespace parents_by {
inline constexpr const char* tournament = "tournament";
inline constexpr const char* rank = "rank";
} // namespace parents_by

} // namespace kevolve
