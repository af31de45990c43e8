// The memory that judging a task takes: a pure function of its contract.
#pragma once

#include "runtime/base/contract.hpp"

#include <cstdint>

namespace kevolve {

// Copies of each argument: inputs, outputs, expected values in double, what is kept, the arena.
inline constexpr double memory_per_argument = 6.0;

// Returns the bytes that judging candidates at a shape takes. Arrays whose sizes depend on data count nothing.
double bytes_to_judge(const contract& task, const shape_case& shape);
// Returns the mebibytes for the largest declared shape, rounded up.
int64_t mebibytes_to_judge(const contract& task);

} // namespace kevolve
