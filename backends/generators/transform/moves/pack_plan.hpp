// The plan to pack an array in front of a nest: where it is read, and which loops choose the element. Private to pack.
#pragma once

#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/analysis/polynomial.hpp"

#include <list>
#include <optional>
#include <string>
#include <vector>

namespace kevolve::transform {

// One place where the array is read, and the loops around it, the packed one first.
struct place {
  expr subscript;
  std::vector<const stmt*> loops;
};

// The loops whose indices stand in the subscript with one coefficient: one dimension of the panel.
struct dimension {
  polynomial coefficient;
  std::vector<const stmt*> loops;
  std::optional<int64_t> bound; // what the length is at most, if that is known
  expr length;
  expr extent; // the bound, if there is one: a partial tile leaves the rest of a row unused
};

struct pack_plan {
  place read;
  std::vector<dimension> dimensions; // the panel's, the innermost last
  std::list<stmt> widened;           // loops that run furthest in one iteration of the packed one, as they run there
};

// Returns the most iterations that the loop runs, if that is a number.
std::optional<int64_t> bound_of(const stmt& l);

// Returns true for a block of one of the loops around it: it runs if that one does.
bool is_block_of(const stmt& l, const std::vector<const stmt*>& around);

// Fails with errc::unsupported and the reason if what the loop reads of the array cannot be packed.
result<pack_plan> plan_pack(const program& p, const stmt& l, const std::string& array, const environment& env);

} // namespace kevolve::transform
