// A function's statements, so that they can stand where it is called: no way out of them but their end.
#pragma once

#include "backends/generators/transform/ir/program.hpp"

#include <optional>
#include <vector>

namespace kevolve::transform {

// Rewrites the body with an assignment to `result` (none: there is no value) where it gave one back. Statements after
// an arm that ends go into the other arm. A loop that ends the function is left, and the statements after it ask
// whether it was. False where the body sometimes ends in the middle of an arm, or without a value; it is then good for
// nothing.
bool to_one_end(program& p, std::vector<stmt>& body, const std::vector<stmt>& parameters,
                const std::optional<expr>& result);

} // namespace kevolve::transform
