// Arithmetic of lanes whose result nobody asks for.
#pragma once

#include "backends/generators/transform/program.hpp"

namespace kevolve::transform {

// The same value wherever e's signed sums, differences and products stay within their types; where they do not, they
// wrap (computed unsigned and converted back) in place of overflowing, of which C says nothing. What `asked`
// evaluates, too, stays as it is: there it does not overflow. For an element of an array, its place stays.
expr wrapping(expr e, const expr& asked);

} // namespace kevolve::transform
