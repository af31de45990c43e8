// Decides which candidates of a tree may be improved on, and keeps that as the tree changes. All policies choose among
// these.
#pragma once

#include "actors/search/leader_tree.hpp"
#include "actors/search/rank_set.hpp"
#include "actors/search/tree_node.hpp"

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace kevolve {

// A candidate is open if it is judged and believed, none before it is the same, and its generator still proposes
// something from it. While none is open, exhausted ones count as open. An `index` is a candidate's in its tree.
class openness {
public:
  // Take note of a change of the tree: of a new candidate, of a finished one, of an amended one.
  void added(const tree_nodes& nodes, uint64_t index);
  void finished(const tree_nodes& nodes, uint64_t index);
  void amended(const tree_nodes& nodes, uint64_t index);
  // Takes over what people have pinned and banned, and the setting from_reference.
  void steer(const tree_nodes& nodes, const std::set<uint64_t>& pinned, const std::set<uint64_t>& banned,
             bool from_reference);

  bool open(uint64_t index) const { return index == 0 ? root_open() : has(index, now_open()); }
  bool banned(uint64_t index) const { return has(index, is_banned); }
  // Returns true if the candidate or one below it is open.
  bool reachable(uint64_t index) const { return marks_[index].open_below[lax()] > 0; }
  // Returns true while exhausted candidates count as open.
  bool lax() const { return marks_[0].open_below[0] == 0; }
  // Returns the best speed-up shown in fresh processes; at least 1, the reference's.
  double best_verified() const { return best_; }

  // Return the number of valid candidates that may be improved on, and the one of that rank. The root is among them,
  // alone if there is none.
  uint64_t improvable() const;
  uint64_t improvable(uint64_t rank) const;
  // Returns at most `most` valid candidates that may be improved on, the fittest first, without the root.
  std::vector<uint32_t> fittest(const tree_nodes& nodes, size_t most) const;
  // Returns the fittest valid candidate that may be improved on, the first of equals; the root if there is none.
  uint64_t fittest() const;
  // Returns true if the candidate is valid and may be improved on; never for the root.
  bool is_improvable(uint64_t index) const { return valid_[lax()].contains(index); }
  // Returns the same, but exhausted candidates never count as open here.
  bool is_open_and_valid(uint64_t index) const { return valid_[0].contains(index); }
  // Returns the candidates that may be second parents: valid and believed, exhausted or not.
  const rank_set& mates() const { return mates_; }
  // Returns the candidates whose openness has changed since the last call.
  std::vector<uint32_t> take_changed() { return std::exchange(changed_, {}); }

private:
  enum flag : uint8_t { is_open = 1, is_open_lax = 2, is_banned = 4, is_used = 8 };
  struct marks {
    uint32_t exhausted = 0;          // children from which nothing was proposed
    uint32_t open_below[2] = {0, 0}; // open ones of the subtree: in general, and with exhausted ones
    uint8_t flags = 0;
  };

  bool has(uint64_t index, flag f) const { return (marks_[index].flags & f) != 0; }
  flag now_open() const { return lax() ? is_open_lax : is_open; }
  bool root_open() const;
  void refresh(const tree_nodes& nodes, uint64_t index);
  void set_open(const tree_nodes& nodes, uint64_t index, bool lax, bool open);
  void refresh_children(const tree_nodes& nodes, uint64_t index);
  void refresh_best(const tree_nodes& nodes);
  void ban_below(const tree_nodes& nodes, uint64_t index);

  std::vector<marks> marks_;
  rank_set valid_[2];      // open and valid, without the root: in general, and with exhausted ones
  leader_tree fastest_[2]; // the same by speed-up
  rank_set mates_;
  leader_tree verified_;
  leader_tree doubted_; // valid and unverified, by speed-up
  double best_ = 1.0;
  double highest_[2] = {0.0, 0.0}; // their speed-ups
  std::set<uint64_t> pinned_;
  std::set<uint64_t> banned_;
  bool from_reference_ = true;
  std::vector<uint32_t> changed_;
};

} // namespace kevolve
