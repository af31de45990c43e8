// The judge's seeds, and the stream that it draws its data from (runtime/base/random.hpp).
#pragma once

#include "runtime/base/random.hpp"

namespace kevolve {

// Returns a seed from the kernel, never zero, for what a candidate must not foresee.
uint64_t secret_seed();

} // namespace kevolve
