// Decides which nodes of a tree may be improved on. All policies choose among these.
#pragma once

#include "actors/search/policy.hpp"

#include <cstdint>
#include <set>
#include <vector>

namespace kevolve {

// A node is open if it holds a judged candidate that is believed and that no node before it holds, and its generator
// still proposes something. Lives for one selection; the tree and the options outlive it.
class openness {
public:
  openness(const search_tree& tree, const policy_options& options);

  bool open(uint64_t index) const { return open_[index]; }
  bool banned(uint64_t index) const { return !banned_.empty() && banned_[index]; }
  // Returns true if the node or one below it is open.
  bool reachable(uint64_t index) const { return reachable_[index]; }

private:
  void mark(const search_tree& tree, uint64_t limit);

  double best_;
  std::vector<bool> open_;
  std::vector<bool> reachable_;
  const std::set<uint64_t>& pinned_;
  std::vector<bool> banned_; // empty: none is
};

// Returns the valid nodes that may be improved on, the root among them; the root alone if there is none.
std::vector<uint64_t> improvable(const search_tree& tree, const openness& may);

} // namespace kevolve
