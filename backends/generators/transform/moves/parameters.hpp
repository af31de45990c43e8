// Parameters that several moves try: sensible numbers for this hardware.
#pragma once

#include "backends/generators/transform/moves/descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kevolve::transform {

// Returns the hardware's figure, or the fallback if it is not known.
int64_t hardware_fact(const environment& env, const char* key, int64_t fallback);
// Returns lanes from half a register of the widest elements to two registers of 32-bit elements.
std::vector<int64_t> lane_counts(const environment& env);
// Iterations that stand in a row, or side by side.
const std::vector<int64_t>& unroll_factors();

// Returns the move with each of the values in the place of argument `at`, but for the value that it has.
std::vector<move> varied(const move& m, size_t at, const std::vector<int64_t>& values);

} // namespace kevolve::transform
