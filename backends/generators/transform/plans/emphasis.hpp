// The moves that act on what bounds a candidate, on the loops that take its time. Pure.
#pragma once

#include "backends/generator.hpp"
#include "backends/generators/transform/ir/program.hpp"
#include "backends/generators/transform/moves/move.hpp"

#include <set>
#include <string>

namespace kevolve::transform {

struct emphasised_moves {
  double factor = 1.0;
  std::set<std::string, std::less<>> names;
  std::set<std::string> loops; // base labels of the reference; empty: every loop

  // Returns the factor of a move's weight: 1 unless it acts on the bottleneck, and on one of the loops if it names any.
  double factor_of(const move& m) const;
};

// Returns the moves to emphasise. `made`: the first parent's program; `text`: its source. `header`: the lines before
// the reference in a source that keeps the reference as written; empty for a source that was printed.
emphasised_moves emphasis_of(const move_emphasis& wanted, const program& reference, const program& made,
                             const std::string& text, const std::string& header);

} // namespace kevolve::transform
