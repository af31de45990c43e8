// The value of a function as one expression: its statements followed with its parameters' values.
#pragma once

#include "backends/generators/transform/ir/program.hpp"

#include <optional>
#include <vector>

namespace kevolve::transform {

// Returns the type of a variable of one's own that holds such a value.
ctype plain(ctype t);
// Converts the value as C does when it is bound to a variable of that type, or returned.
expr converted(expr e, const ctype& type);

// Returns the value of a call. `parameters` are declarations, each with its argument. Variables for what is used
// several times go to `before`; null: the call may not be reached, so that there are none. Nothing where a loop or an
// effect stands in the way, or too much comes of it.
std::optional<expr> value_of_call(program& p, const expr& call, const std::vector<stmt>& parameters,
                                  std::vector<stmt> body, std::vector<stmt>* before);

} // namespace kevolve::transform
