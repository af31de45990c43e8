// The campaign's compact tree with its index: what policies read. A value; the fold of the campaign's events.
// Node 0 is the root, the reference itself: finished, fitness 1, never in flight.
#pragma once

#include "actors/search/search_index.hpp"
#include "actors/search/tree_node.hpp"
#include "runtime/base/ids.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace kevolve {

class search_tree {
public:
  search_tree();

  // Adds the next node (its index is size()) in flight: virtual loss along the first parents' path.
  // Parents must exist. Returns the index.
  uint64_t add(std::vector<uint64_t> parents, const node_origin& origin);
  uint64_t add(std::vector<uint64_t> parents, bool draft) {
    return add(std::move(parents), node_origin{.draft = draft});
  }
  // Ends a node's flight: backpropagates visits and value, takes the virtual loss back. Ignored (false) unless
  // the node is in flight.
  bool finish(uint64_t index, const node_outcome& outcome);

  // Puts a finished node's verdict and figures right: those that fail lose their figures and their confirmation, and
  // one that passes may gain it. Ignored (false) if nothing changes, or the node is the root or in flight.
  bool amend(uint64_t index, const score& found, bool confirmed = false);

  // Takes over a finished node's bin on one axis of behaviour that was measured after its end. No hash has it. Ignored
  // (false) if nothing changes, or the node is the root or in flight.
  bool characterise(uint64_t index, size_t axis, uint8_t bin);

  size_t size() const { return nodes_.size(); }
  const tree_node& at(uint64_t index) const { return nodes_[index]; }
  const tree_nodes& nodes() const { return nodes_; }
  // Returns what is known of all nodes together. It is mutable because it computes what a selection needs when it is
  // asked.
  search_index& index() const { return index_; }

  uint64_t in_flight() const { return in_flight_; }
  // Return the number of finished nodes without the root, and of those that pass.
  uint64_t finished() const { return finished_; }
  uint64_t valid() const { return valid_; }

  // Returns the hash of the folded tree, equal for equal trees.
  id128 hash() const { return hash_; }
  // Tells if the tree is the one whose hash was recorded. Campaigns before record version 4 recorded another hash,
  // which covers what follows from the nodes, too. A tree that is recognised by it has that hash from then on.
  bool recognises(const id128& recorded);

private:
  void rehash(tree_node& n);
  void rehash_all();
  // Takes note of a changed ancestor of a changed node.
  void changed_above(tree_node& n) {
    if (hashes_statistics_)
      rehash(n);
  }

  tree_nodes nodes_;
  mutable search_index index_;
  uint64_t in_flight_ = 0;
  uint64_t finished_ = 0;
  uint64_t valid_ = 0;
  bool hashes_statistics_ = false; // the older hash
  id128 hash_;
};

} // namespace kevolve
