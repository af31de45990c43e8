// Loops that work until something holds; private to moves_first.cpp.
#pragma once

#include "backends/generators/transform/moves/early_end.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace kevolve::transform {

// end; search, which tells where it ended; after: the work up to there, and the round that ended early.
struct parted_loop {
  std::vector<stmt> search; // what the test needs, which stands behind it
  std::vector<stmt> told;
  stmt end;
  std::vector<stmt> after;
  expr place; // where it ended
};

// Returns the loop w, read as `loop`, whose work at `place` was left out: if (hit) { told; break; }. Nothing where the
// test hangs on the work, or the work does more than give values to variables.
std::optional<parted_loop> part(program& p, const stmt& w, const early_loop& loop, const stmt& hit,
                                const std::vector<stmt>& told, size_t place);

} // namespace kevolve::transform
