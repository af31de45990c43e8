// Sums each of whose terms has the factor exp(g - m) once: all that follows from another m is another factor of the
// sums as they stand. What the move `online` asks of a loop.
#pragma once

#include "backends/generators/transform/moves/registry.hpp"
#include "runtime/base/result.hpp"

#include <string>
#include <vector>

namespace kevolve::transform {

struct scaled_sums {
  // array[…] += term, in loops inside the one that sums; their bodies are left out.
  struct element {
    expr target;
    std::vector<stmt> loops; // outermost first
  };
  std::vector<expr> scalars;
  std::vector<element> elements;
  std::vector<expr> exponents; // the g, at the places of the loop's body
  expr exponential;            // one of the calls exp(g - m)
};

// Returns the sums of the loop; errc::unsupported with the reason if it uses m in another way or stores what depends on
// it.
result<scaled_sums> scaled_sums_of(const stmt& loop, const expr& m);

// Returns why the sums in arrays cannot be scaled as they stand after the statements; empty: they can. They must begin
// as 0, and each element must be met once.
std::string why_not_zero(const program& p, const std::vector<stmt>& before, const scaled_sums& sums,
                         const environment& env);

// Returns true if both have the same value in the same state: places in arrays may be written in different ways.
bool equal(const expr& a, const expr& b);

} // namespace kevolve::transform
