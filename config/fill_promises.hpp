// Reads what a task's fill rules say about the values that are drawn, for a comparison with its assertions. Pure.
#pragma once

#include "runtime/base/contract.hpp"

#include <optional>
#include <string>

namespace kevolve {

// The ends of what a fill rule draws. A value near each end may come up in a draw.
struct drawn_range {
  std::optional<double> low;  // nothing: the rule says nothing of this end
  std::optional<double> high; // likewise
  std::string words;          // for people: "from 0 to 9", "around 0 with a standard deviation of 1"
};
drawn_range drawn_range_of(const argument& a);

// Returns why values drawn by the argument's rule do not ascend, or have equal ones where `strict`, and the remedy;
// empty: they do, or the rule does not say.
std::string why_not_sorted(const contract& task, const argument& a, bool strict);

} // namespace kevolve
