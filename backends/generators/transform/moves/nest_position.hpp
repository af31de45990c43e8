// Statements of a nest that holds nothing but loops around assignments, and the elements that loops choose there.
#pragma once

#include "backends/generators/transform/analysis/polynomial.hpp"
#include "backends/generators/transform/ir/ir.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

// A statement, the loops around it from the nest on, and the places of both in the bodies that hold them.
struct nest_position {
  const stmt* here = nullptr;
  std::vector<const stmt*> loops;
  std::vector<size_t> places;

  // Returns the expression with what the bodies around declare for good before the statement written in its place.
  expr with_values(expr e) const;
  bool is_inside(const stmt& loop) const;
};

// Adds the nest's assignments and declarations, in order. False: it holds other statements, too.
bool collect_positions(const stmt& nest, std::vector<nest_position>& out);

// Tells if the loop runs over 0, 1, 2 … up to an end that is made of other names than those.
bool counts_from_zero(const stmt& loop, const std::set<std::string>& changed);
bool have_same_end(const stmt& a, const stmt& b);

// An element's place by the two indices that choose it: in each dimension both coefficients and the rest. Nothing: it
// is not affine in them.
using place_by = std::vector<std::array<polynomial, 3>>;
std::optional<place_by> place_of(const expr& element, const std::string& a, const std::string& b);

} // namespace kevolve::transform
