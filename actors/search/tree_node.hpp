// A candidate in a campaign's tree as policies see it. In actors/search/ a node is an entry of that tree.
#pragma once

#include "actors/search/index_list.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/base/measurement.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

namespace kevolve {

enum class node_phase : uint8_t { in_flight = 0, finished };

// The bins of a candidate's measured behaviour, by axis (axes.hpp). 0: unknown.
using behaviour_bins = std::array<uint8_t, 4>;
// The axes by which cells tell candidates apart.
using axis_set = std::array<bool, std::tuple_size_v<behaviour_bins>>;
inline constexpr axis_set all_axes{true, true, true, true};

// The memory operator of drafts and of what people put in.
inline constexpr uint8_t no_memory = 0xff;

// The speed-up is against the reference, and 0 unless it passed. A campaign may have a million of these: indices and
// counts have 32 bits.
struct tree_node : score {
  node_phase phase = node_phase::in_flight;
  bool confirmed = false;
  bool verified = false; // its figure was shown again in fresh processes on held-out shapes (surprise.hpp)
  bool draft = false;
  bool founds = false;        // its island began anew with it
  uint8_t memory = no_memory; // the operator of its step, by its place in memory_operator_texts
  uint16_t island = 0;        // the population that it was made for, from 1; 0: by another policy, or a person
  uint32_t index = 0;
  index_list parents;        // the first is the one improved; empty only for the root
  uint32_t duplicate_of = 0; // the node that was judged for the same candidate; 0: none. No hash has it
  uint32_t visits = 0;       // finished nodes of the subtree, itself included
  uint32_t virtual_loss = 0; // nodes of the subtree in flight
  uint32_t place = 0;        // among the children of its first parent
  double value = 0.0;        // best fitness of the subtree
  float prior = 1.0F;        // its weight among its siblings, where something knows one
  behaviour_bins behaviour{};
  id128 digest; // as far as it is hashed
  std::vector<uint32_t> children;
};

// The nodes of a tree, which stay where they are. Each thread counts its reads of nodes, a walk over a tree as a read
// of every node: the work of a selection is bounded by that, where a time would depend on the machine.
class tree_nodes {
public:
  tree_node& operator[](uint64_t index) {
    ++reads_;
    return nodes_[index];
  }
  const tree_node& operator[](uint64_t index) const {
    ++reads_;
    return nodes_[index];
  }
  auto begin() {
    reads_ += nodes_.size();
    return nodes_.begin();
  }
  auto begin() const {
    reads_ += nodes_.size();
    return nodes_.begin();
  }
  auto end() { return nodes_.end(); }
  auto end() const { return nodes_.end(); }
  size_t size() const { return nodes_.size(); }
  tree_node& add() { return nodes_.emplace_back(); }

  // Returns the reads of this thread, in all trees, since it began.
  static uint64_t reads() { return reads_; }

private:
  std::deque<tree_node> nodes_;
  static constinit inline thread_local uint64_t reads_ = 0;
};

// The decisions of a selection about a node besides its parents.
struct node_origin {
  bool draft = false;
  uint8_t memory = no_memory;
  uint16_t island = 0;
  bool founds = false;
};

// The outcome of a finished node.
struct node_outcome : score {
  bool confirmed = false;
  bool verified = false; // confirmed implies it
  uint64_t duplicate_of = 0;
  behaviour_bins behaviour{};
  float prior = 1.0F;
};

} // namespace kevolve
