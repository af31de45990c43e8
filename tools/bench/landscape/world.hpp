// A landscape as a closed world: the candidates that a step from one or two of its candidates may bring, by the number
// of changes between their lists of moves.
#pragma once

#include "runtime/base/random.hpp"
#include "tools/bench/landscape/landscape.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kevolve::bench {

// Changes of a step, at most: with each further one a step is less likely, by the generator's own chance.
inline constexpr uint32_t most_changes = 3;
inline constexpr double further_change = 0.3;

// The candidates that a step may bring: [0] by one change, and so on. Each list is sorted.
using reach = std::array<std::vector<uint32_t>, most_changes>;

using move_list = std::vector<uint16_t>; // a genome by the numbers of its moves

// Returns how many moves are added, dropped, replaced or exchanged between two lists; `most` + 1 if there are more.
uint32_t changes_between(const move_list& a, const move_list& b, uint32_t most);

class world {
public:
  explicit world(landscape of);

  const landscape& record() const { return record_; }
  size_t size() const { return record_.nodes.size(); }
  const landscape_node& at(uint32_t node) const { return record_.nodes[node]; }
  // Returns the figure against the reference that is known best; 0 for what does not pass.
  double truth(uint32_t node) const { return truth_[node]; }
  // Returns the highest figure that a second measurement gave; without any, the highest of the first ones.
  double best() const { return best_; }
  bool passes(uint32_t node) const { return at(node).result == verdict::pass; }
  const std::vector<uint32_t>& drafts() const { return drafts_; }

  // Returns the candidates within reach of one candidate; of the reference, those of fresh starts first.
  const reach& from(uint32_t node) const { return reach_[node]; }
  // Returns those of a step that combines two: made of their moves, with so many others.
  reach from(uint32_t a, uint32_t b) const;
  // Returns the moves that a candidate has and another lacks.
  move_list added(uint32_t to, uint32_t from) const;
  // Returns true if one of the moves that `to` has and `from` lacks acts on what bounds `from`, as far as the record
  // tells.
  bool acts_on_bound(uint32_t to, uint32_t from) const;

  // Returns a speed-up as another screening might have measured it: pairs are drawn from the record's with replacement.
  double measured(uint32_t node, uint64_t seed) const;

private:
  landscape record_;
  std::vector<move_list> moves_;
  std::vector<std::string> names_; // of moves, by number
  std::vector<double> truth_;
  double best_ = 1.0;
  std::vector<uint32_t> drafts_;
  std::vector<reach> reach_;
  std::vector<std::vector<std::vector<double>>> ratios_; // logarithms, by node and shape
};

} // namespace kevolve::bench
