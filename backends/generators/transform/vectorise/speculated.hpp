// Arithmetic of lanes whose result nobody asks for.
#pragma once

#include "backends/generators/transform/ir/program.hpp"

#include <functional>

namespace kevolve::transform {

// Returns an expression with e's value wherever its signed sums, differences and products stay within their types.
// Elsewhere they wrap, computed unsigned and converted back: an overflow is undefined in C. What `asked` evaluates,
// too, stays as it is: there it does not overflow. So do places in arrays, and what is no `data`.
expr wrapping(expr e, const expr& asked, const std::function<bool(const expr&)>& data);

} // namespace kevolve::transform
