// Islands, their populations and their cells, kept as the tree changes. They follow from the tree alone.
#pragma once

#include "actors/search/leader_tree.hpp"
#include "actors/search/openness.hpp"
#include "actors/search/policy_options.hpp"
#include "actors/search/tree_node.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace kevolve {

// Every candidate is at home on one island: the one that it was made for, else that of its first parent, else, if it
// was made from the reference, one in turn. An island's population is the fittest of those made since it began; its
// cells hold the fittest by measured behaviour. Nodes that are not open belong to neither.
class populations {
public:
  populations(const tree_nodes& nodes, const openness& may, const evolution_options& options);

  const evolution_options& options() const { return options_; }
  // Take note of a new node, and of one that has ended or whose openness or speed-up has changed.
  void added(const tree_nodes& nodes, uint64_t index);
  void changed(const tree_nodes& nodes, const openness& may, uint64_t index);
  // Moves a node from the cell of the behaviour that it had to the cell of the one that it has.
  void characterised(const tree_nodes& nodes, const openness& may, uint64_t index, const behaviour_bins& before);

  struct cell {
    std::vector<uint32_t> members; // in the order in which they ended or came; who has left keeps the place alone
    leader_tree fittest;
  };
  struct island {
    uint64_t begun = 0;            // candidates made for it, in flight among them
    uint64_t began_with = 0;       // the node that it began anew with; 0: it is as old as the search
    std::vector<uint32_t> members; // since then, by index
    leader_tree fittest;
    std::map<behaviour_bins, cell> cells;
    bool stale = false;
    std::vector<uint32_t> population; // fittest first
  };
  size_t size() const { return islands_.size(); }
  // Returns an island with its population up to date.
  const island& at(size_t which, const tree_nodes& nodes);
  // Returns the island of a node.
  size_t home_of(uint64_t index) const { return home_[index]; }
  // Returns the fittest node of a cell; nobody if none is open.
  static uint32_t elite_of(const cell& c) {
    const auto top = c.fittest.top();
    return top == leader_tree::nobody ? top : c.members[top];
  }
  // Returns the occupied cells' fittest nodes of an island.
  static std::vector<uint32_t> elites_of(const island& i);

private:
  double worth(const tree_nodes& nodes, uint64_t index) const;
  // Returns the behaviour on the axes of cells alone, with bin 0 on the others.
  behaviour_bins cell_of(const behaviour_bins& behaviour) const;
  void update_cell(const tree_nodes& nodes, const behaviour_bins& bins, cell& c, uint32_t place) const;
  void begin_anew(island& i, uint64_t founder) const;

  evolution_options options_;
  std::vector<island> islands_;
  std::vector<uint16_t> home_;
  std::vector<uint32_t> place_in_cell_; // from 1; 0: in none
  std::vector<bool> counted_;           // valid and open when last noted, so that one key changes at a time
};

} // namespace kevolve
