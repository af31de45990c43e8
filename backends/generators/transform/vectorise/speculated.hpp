// Arithmetic of lanes whose result nobody asks for.
#pragma once

#include "backends/generators/transform/ir/program.hpp"

#include <functional>

namespace kevolve::transform {

// The same value wherever e's signed sums, differences and products stay within their types; where they do not, they
// wrap (computed unsigned and converted back) in place of overflowing, of which C says nothing. What `asked`
// evaluates, too, stays as it is: there it does not overflow. So do places in arrays, and what is no `data`.
expr wrapping(expr e, const expr& asked, const std::function<bool(const expr&)>& data);

} // namespace kevolve::transform
