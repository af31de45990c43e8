// Loops that count, and may end before their count does; private to moves_finish.cpp and moves_first.cpp.
#pragma once

#include "backends/generators/transform/ir/program.hpp"
#include "runtime/base/result.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

// int i = from; while (i < to && other) { work; i += 1; }
struct early_loop {
  size_t declared_at = 0; // of i, in the list that holds the loop
  expr index;
  expr from;
  expr to;
  std::vector<stmt> work;
  std::optional<expr> other;
  bool asked_after = false; // for i

  // Returns the loop that runs to its end, with nothing in it yet.
  stmt counted(const stmt& w) const;
};

// Returns where[at], read as such, or the reason why it is none.
result<early_loop> read_early(const program& p, const std::vector<stmt>& where, size_t at);

// Returns why the work may not be done beyond the early end of the loop; empty: it may. `within`: the reads inside
// their array up to the loop's end, see reads_within().
std::string beyond(const std::vector<stmt>& work, const std::set<std::string>& within, const std::string& loop);

// Beyond the early end, what is computed of arrays' elements, or of the loop's own variables, must not overflow.
expr let_wrap(expr e, const std::set<std::string>& own);
void let_wrap(std::vector<stmt>& work, const std::set<std::string>& own);

// Puts these in the place of where[at], and drops the index's declaration before it, unless that is `at`; how many to
// step over.
size_t put_in_place(std::vector<stmt>& where, size_t at, size_t declared_at, std::vector<stmt> made);

} // namespace kevolve::transform
