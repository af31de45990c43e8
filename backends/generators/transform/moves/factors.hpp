// Floating products as lists of factors. Private to the moves that take products and sums apart.
#pragma once

#include "backends/generators/transform/ir/ir.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

// Tells if the expression is a product of floating scalars that is rounded to no other type on the way.
bool is_product(const expr& e);
// Returns the factors in order. A factor for which `whole` holds is not taken apart.
std::vector<expr> factors_of(const expr& e, const std::function<bool(const expr&)>& whole = {});
// Returns the product of the factors, of which there is at least one.
expr product_of(const std::vector<expr>& factors, const ctype& type);

// Names that have other values after an iteration of the loop, its index and all that it declares.
std::set<std::string> changed_in(const stmt& loop);
// Tells if the expression has one value before the loop and all through it, and may be computed even if the loop never
// runs.
bool stays_in(const expr& e, const std::set<std::string>& changed);
// Tells if some of the loop is in vectors.
bool is_vectorised(const stmt& loop);

} // namespace kevolve::transform
