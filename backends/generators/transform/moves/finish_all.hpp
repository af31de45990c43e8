// Loops that end early, run to their ends: the facts about the reference and many sequences begin with that.
#pragma once

#include "backends/generators/transform/ir/program.hpp"
#include "backends/generators/transform/moves/move.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace kevolve::transform {

// Apply the moves of these names.
result<void> finish(program& p, const loop_label& loop, const contract& task);
result<void> first(program& p, const loop_label& loop, int64_t block, const contract& task);

// Runs each of the program's loops that give up early to its end, and returns the moves that do so. `block`: searches
// for a first place, too, by that many places at once (0: all); none: they are left.
genome finish_all(program& p, const contract& task, std::optional<int64_t> block = {});

} // namespace kevolve::transform
