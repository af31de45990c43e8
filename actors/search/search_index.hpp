// The index kept beside a campaign's tree, so that a selection takes time proportional to a logarithm of its size.
#pragma once

#include "actors/search/bound_race.hpp"
#include "actors/search/leader_tree.hpp"
#include "actors/search/openness.hpp"
#include "actors/search/populations.hpp"
#include "actors/search/progress.hpp"
#include "actors/search/tree_node.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>

namespace kevolve {

struct speed_range {
  double low = 1.0;
  double high = 1.0;
};

// Follows each change of the tree, which is passed to every call. It equals an index built from the tree afterwards.
class search_index {
public:
  void added(const tree_nodes& nodes, uint64_t index);
  void finished(const tree_nodes& nodes, uint64_t index);
  void amended(const tree_nodes& nodes, uint64_t index);
  // Takes note that a node's behaviour has changed. `before`: what it was.
  void characterised(const tree_nodes& nodes, uint64_t index, const behaviour_bins& before);
  // Takes over what people have pinned and banned, and the setting from_reference.
  void steer(const tree_nodes& nodes, const std::set<uint64_t>& pinned, const std::set<uint64_t>& banned,
             bool from_reference);

  const openness& may() const { return may_; }
  search_progress& progress() { return progress_; }
  // Returns the islands, which are kept from the first call on as long as the options are the same.
  populations& islands(const tree_nodes& nodes, const evolution_options& options);
  // Returns the range of the speed-ups of all valid nodes, the reference's among them.
  speed_range range() const { return range_; }
  // Returns the sum of the priors of a node's children; 0 if nothing knows one.
  double prior_sum(const tree_nodes& nodes, uint64_t parent) const;
  // Returns the reachable child with the highest upper confidence bound, the first of equals; 0 if there is none.
  uint64_t best_child(const tree_nodes& nodes, uint64_t parent, double exploration);
  // Returns the figures of a node that its bound depends on.
  bound_line line_of(const tree_node& n) const;

private:
  struct race {
    bound_race matches;
    uint64_t epoch = 0;
  };

  void touch(const tree_nodes& nodes, uint64_t index);
  void refresh_range(const tree_nodes& nodes, uint64_t index);
  void update_bounds(const tree_nodes& nodes);

  openness may_;
  search_progress progress_;
  std::optional<populations> islands_;
  leader_tree fastest_; // of the valid nodes
  leader_tree slowest_;
  speed_range range_;
  bool lax_ = false;
  uint64_t epoch_ = 1;                          // changes with what all bounds depend on
  std::unordered_map<uint32_t, race> races_;    // by the parent, of those with many children
  std::unordered_map<uint32_t, double> priors_; // by the parent: what its children's exceed 1 by, in sum
};

} // namespace kevolve
