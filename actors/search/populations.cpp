#include "actors/search/populations.hpp"

#include <algorithm>
#include <utility>

namespace kevolve {

// Returns the key of a node among the fittest.
double populations::worth(const tree_nodes& nodes, uint64_t index) const {
  return counted_[index] ? nodes[index].speedup : leader_tree::absent;
}

behaviour_bins populations::cell_of(const behaviour_bins& behaviour) const {
  behaviour_bins out{};
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = options_.axes[i] ? behaviour[i] : uint8_t{0};
  return out;
}

populations::populations(const tree_nodes& nodes, const openness& may, const evolution_options& options)
    : options_(options), islands_(options.islands) {
  for (const auto& n : nodes)
    added(nodes, n.index);
  for (const auto& n : nodes)
    changed(nodes, may, n.index);
}

void populations::begin_anew(island& i, uint64_t founder) const {
  i.began_with = founder;
  i.members.clear();
  i.fittest = {};
  i.cells.clear();
  i.population.clear();
  i.stale = false;
}

void populations::added(const tree_nodes& nodes, uint64_t index) {
  const auto& n = nodes[index];
  place_in_cell_.push_back(0);
  counted_.push_back(false);
  if (index == 0) {
    home_.push_back(0);
    return;
  }
  const auto parent = n.parents.front();
  const auto home = n.island != 0 ? (n.island - 1U) % islands_.size()
                    : parent == 0 ? index % islands_.size()
                                  : home_[parent];
  home_.push_back(static_cast<uint16_t>(home));
  auto& i = islands_[home];
  if (n.founds)
    begin_anew(i, index);
  ++i.begun;
  i.members.push_back(n.index);
}

void populations::changed(const tree_nodes& nodes, const openness& may, uint64_t index) {
  const auto& n = nodes[index];
  if (index == 0 || n.phase != node_phase::finished)
    return;
  counted_[index] = may.is_open_and_valid(index);
  auto& i = islands_[home_[index]];
  if (index < i.began_with)
    return;
  const auto member = std::lower_bound(i.members.begin(), i.members.end(), n.index);
  i.fittest.update(static_cast<uint64_t>(member - i.members.begin()),
                   [&](uint64_t at) { return worth(nodes, i.members[at]); });
  const auto listed = std::find(i.population.begin(), i.population.end(), n.index) != i.population.end();
  const auto enters =
      counted_[index] && (i.population.size() < options_.population || n.speedup >= nodes[i.population.back()].speedup);
  i.stale = i.stale || listed || enters;
  auto& place = place_in_cell_[index];
  if (place == 0 && n.result != verdict::pass)
    return;
  const auto bins = cell_of(n.behaviour);
  auto& c = i.cells[bins];
  if (place == 0) {
    c.members.push_back(n.index);
    place = static_cast<uint32_t>(c.members.size());
  }
  update_cell(nodes, bins, c, place);
}

// Only a member that is at this place of this cell has a worth there.
void populations::update_cell(const tree_nodes& nodes, const behaviour_bins& bins, cell& c, uint32_t place) const {
  c.fittest.update(place - 1, [&](uint64_t at) {
    const auto member = c.members[at];
    const auto here = place_in_cell_[member] == at + 1 && cell_of(nodes[member].behaviour) == bins;
    return member_key{here ? worth(nodes, member) : leader_tree::absent, member};
  });
}

void populations::characterised(const tree_nodes& nodes, const openness& may, uint64_t index,
                                const behaviour_bins& before) {
  const auto cell_before = cell_of(before);
  if (cell_before == cell_of(nodes[index].behaviour))
    return;
  auto& place = place_in_cell_[index];
  auto& i = islands_[home_[index]];
  const auto old = i.cells.find(cell_before);
  if (place == 0 || index < i.began_with || old == i.cells.end()) // it never passed, or is of an island's past
    return;
  update_cell(nodes, cell_before, old->second, std::exchange(place, 0U));
  changed(nodes, may, index);
}

const populations::island& populations::at(size_t which, const tree_nodes& nodes) {
  auto& i = islands_[which];
  if (!i.stale)
    return i;
  i.stale = false;
  i.population = i.fittest.leaders(options_.population, [&](uint64_t at) { return worth(nodes, i.members[at]); });
  for (auto& place : i.population)
    place = i.members[place];
  return i;
}

std::vector<uint32_t> populations::elites_of(const island& i) {
  std::vector<uint32_t> out;
  for (const auto& [bins, c] : i.cells)
    if (const auto elite = elite_of(c); elite != leader_tree::nobody)
      out.push_back(elite);
  return out;
}

} // namespace kevolve
