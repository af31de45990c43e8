// The patterns of values that one argument is given in adversarial draws; private to the planner.
#pragma once

#include "backends/judge/value_choice.hpp"
#include "runtime/base/contract.hpp"

#include <vector>

namespace kevolve {

// The ends and the middle of what an argument may hold. Those of floating types have few bits, so that sums and
// products of them are exact and every order gives the same result.
struct landmarks {
  double low = 0.0;
  double high = 0.0;
  double zero = 0.0; // or what lies nearest to it
  double middle = 0.0;
};
landmarks landmarks_of(const argument& a);

// Returns true if draws may choose the argument's values.
bool is_chosen(const argument& a);
// Returns true if the argument's values are chosen by landmarks; keys and samples of a table have patterns of their
// own.
bool has_landmarks(const argument& a);

// Returns every pattern for the argument.
std::vector<value_choice> choices_for(const argument& a);
// Returns a few of them, those that tell most first. The second differs from the first in a single element, and the
// fourth from the third: of equal values, results may be so ill-conditioned that every answer is accepted.
std::vector<value_choice> telling_choices(const argument& a);
// Returns the patterns of one constant: everywhere, once, and alternating with what lies beside it, so that a count of
// hits is all, one a row, half, and none. Empty if the argument may not hold it.
std::vector<value_choice> choices_of_constant(const argument& a, double constant);

} // namespace kevolve
