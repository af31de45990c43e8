// This turns a generator's refusal into the end of a step.
#pragma once

#include "runtime/base/result.hpp"

#include <caf/fwd.hpp>

namespace kevolve {

// Returns the error that a generator answers with: a refusal to propose becomes no_verdict::exhausted, no_candidate or
// withdrawn, which end the step; any other failure stays what it is, a fault.
caf::error end_of_step(const failure& why);

} // namespace kevolve
