// Bounds on arrays that tasks and the judge share.
#pragma once

#include <cstdint>

namespace kevolve {

// The most elements of one array. A larger one is a mistake in the task, and must not become an allocation.
inline constexpr int64_t max_array_elements = int64_t{1} << 33;

} // namespace kevolve
