// The move `tile`, for moves that need a loop in blocks.
#pragma once

#include "backends/generators/transform/ir/program.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <string>

namespace kevolve::transform {

// Strip-mines the loop into blocks of `size` iterations; the loop over the blocks gets the role `tiles`.
result<void> tile(program& p, const loop_label& loop, int64_t size);

} // namespace kevolve::transform
