// The campaign's compact index of its tree: what policies read. A value; the fold of the campaign's events.
// Node 0 is the root, the reference itself: finished, fitness 1, never in flight.
#pragma once

#include "runtime/base/ids.hpp"
#include "runtime/base/measurement.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

enum class node_phase : uint8_t { in_flight = 0, finished };

// The speed-up is against the reference, and 0 unless it passed.
struct tree_node : score {
  uint64_t index = 0;
  std::vector<uint64_t> parents; // the first is the one improved; empty only for the root
  node_phase phase = node_phase::in_flight;
  bool confirmed = false;
  bool verified = false; // its figure was shown again in fresh processes on held-out shapes (surprise.hpp)
  bool draft = false;
  uint64_t duplicate_of = 0; // the node that was judged for the same candidate; 0: none. No hash has it
  uint64_t visits = 0;       // finished nodes of the subtree, itself included
  double value = 0.0;        // best fitness of the subtree
  uint64_t virtual_loss = 0; // nodes of the subtree in flight
  std::vector<uint64_t> children;
};

// The outcome of a finished node.
struct node_outcome : score {
  bool confirmed = false;
  bool verified = false; // confirmed implies it
  uint64_t duplicate_of = 0;
};

class search_tree {
public:
  search_tree();

  // Adds the next node (its index is size()) in flight: virtual loss along the first parents' path.
  // Parents must exist. Returns the index.
  uint64_t add(std::vector<uint64_t> parents, bool draft);
  // Ends a node's flight: backpropagates visits and value, takes the virtual loss back. Ignored (false) unless
  // the node is in flight.
  bool finish(uint64_t index, const node_outcome& outcome);

  // A finished node's verdict and figures, put right: those that fail lose their figures and their confirmation, and
  // one that passes may gain it. Ignored (false) if nothing changes, or the node is the root or in flight.
  bool amend(uint64_t index, const score& found, bool confirmed = false);

  size_t size() const { return nodes_.size(); }
  const tree_node& at(uint64_t index) const { return nodes_.at(index); }
  const std::vector<tree_node>& nodes() const { return nodes_; }

  uint64_t in_flight() const { return in_flight_; }
  // Finished nodes without the root; those that pass.
  uint64_t finished() const { return finished_; }
  uint64_t valid() const { return valid_; }

  // Returns the hash of the folded tree, equal for equal trees. Each change updates it in time proportional to depth.
  id128 hash() const { return hash_; }

private:
  void rehash(uint64_t index, const id128& before);
  id128 digest(uint64_t index) const;

  std::vector<tree_node> nodes_;
  uint64_t in_flight_ = 0;
  uint64_t finished_ = 0;
  uint64_t valid_ = 0;
  id128 hash_;
};

} // namespace kevolve
