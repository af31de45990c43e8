// The elements that a loop's iterations access, and the proof that two accesses stay apart.
#pragma once

#include "backends/generators/transform/analysis/obstacle.hpp"
#include "backends/generators/transform/analysis/polynomial.hpp"
#include "backends/generators/transform/ir/program.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

struct element_access {
  std::string array; // empty: unknown
  std::vector<std::optional<polynomial>> index;
  bool write = false;
  std::vector<const stmt*> loops; // around it, the analysed loop and what is inside
};

// The reason that keeps a loop in order; empty if there is none.
struct obstruction {
  std::string text;
  loop_obstacle kind = loop_obstacle::none;
};

struct accessed_region {
  std::vector<element_access> accesses;
  obstruction trouble; // what forbids any claim
};

// Returns the accesses of the list. `loops` stand around it, the outermost first.
accessed_region accesses_of(const std::vector<stmt>& body, std::vector<const stmt*> loops);

// Returns the scalars of the body that are set from an element, or from such a scalar before.
std::set<std::string> scalars_of_data(const std::vector<stmt>& body);

// Returns true if the element that is accessed is chosen by data. `scalars`: what scalars_of_data() gives.
bool chosen_by_data(const element_access& a, const std::set<std::string>& scalars);

// Returns true if two accesses stay apart in different iterations of `index`, whatever the other loops around them do.
// `varying`: the variables that an iteration sets. `least`: lower bounds of variables.
bool stay_apart(const element_access& w, const element_access& x, const std::string& index,
                const std::set<std::string>& varying, const polynomial::bounds& least);

} // namespace kevolve::transform
