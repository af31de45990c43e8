#include "actors/search/openness.hpp"

#include "actors/search/surprise.hpp"

#include <algorithm>

namespace kevolve {

namespace {

// A node from which nothing more could be proposed this often is left alone while others are open.
constexpr uint32_t exhausted_limit = 3;

bool passes(const tree_node& n) {
  return n.phase == node_phase::finished && n.result == verdict::pass;
}

bool brought_nothing(const tree_node& n) {
  return n.phase == node_phase::finished && n.result == verdict::none;
}

// Returns the members that changed sides between two sets.
std::vector<uint64_t> difference(const std::set<uint64_t>& a, const std::set<uint64_t>& b) {
  std::vector<uint64_t> out;
  std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

} // namespace

bool openness::root_open() const {
  return has(0, now_open()) && (from_reference_ || highest_[lax()] <= 1.0);
}

uint64_t openness::improvable() const {
  return std::max<uint64_t>(1, valid_[lax()].size() + (root_open() ? 1U : 0U));
}

uint64_t openness::improvable(uint64_t rank) const {
  const auto& valid = valid_[lax()];
  const uint64_t root = root_open() ? 1 : 0;
  return rank < root || valid.empty() ? 0 : valid.kth(rank - root);
}

std::vector<uint32_t> openness::fittest(const tree_nodes& nodes, size_t most) const {
  const auto& valid = valid_[lax()];
  return fastest_[lax()].leaders(
      most, [&](uint64_t i) { return valid.contains(i) ? nodes[i].speedup : leader_tree::absent; });
}

uint64_t openness::fittest() const {
  const auto best = fastest_[lax()].top();
  return best == leader_tree::nobody || (root_open() && highest_[lax()] <= 1.0) ? 0 : best;
}

void openness::set_open(const tree_nodes& nodes, uint64_t index, bool lax, bool open) {
  const auto bit = lax ? is_open_lax : is_open;
  if (has(index, bit) == open)
    return;
  marks_[index].flags ^= static_cast<uint8_t>(bit);
  changed_.push_back(static_cast<uint32_t>(index));
  for (auto at = index;; at = nodes[at].parents.front()) {
    marks_[at].open_below[lax] += open ? 1U : ~0U;
    if (at == 0)
      return;
  }
}

void openness::refresh(const tree_nodes& nodes, uint64_t index) {
  const auto& n = nodes[index];
  const bool judged = n.phase == node_phase::finished && n.result != verdict::none && n.duplicate_of == 0;
  const bool may = judged && !banned(index);
  const bool believed = may && is_believed(nodes, n, best_);
  const bool pinned = may && pinned_.contains(index);
  set_open(nodes, index, false, pinned || (believed && marks_[index].exhausted < exhausted_limit));
  set_open(nodes, index, true, pinned || believed);
  if (index == 0)
    return;
  mates_.put(index, believed && n.result == verdict::pass);
  for (const bool lax : {false, true}) {
    auto& valid = valid_[lax];
    valid.put(index, n.result == verdict::pass && has(index, lax ? is_open_lax : is_open));
    const auto speed = [&](uint64_t i) { return valid.contains(i) ? nodes[i].speedup : leader_tree::absent; };
    fastest_[lax].update(index, speed);
    const auto best = fastest_[lax].top();
    highest_[lax] = best == leader_tree::nobody ? 0.0 : nodes[best].speedup;
  }
}

// A node's speed-up decides which of its children are believed.
void openness::refresh_children(const tree_nodes& nodes, uint64_t index) {
  for (const auto& n : nodes)
    if (std::find(n.parents.begin(), n.parents.end(), index) != n.parents.end())
      refresh(nodes, n.index);
}

void openness::refresh_best(const tree_nodes& nodes) {
  const auto top = verified_.top();
  const auto best = top == leader_tree::nobody ? 1.0 : std::max(1.0, nodes[top].speedup);
  if (best == best_)
    return;
  const auto from = surprise_over_best * std::min(best, best_);
  best_ = best;
  const auto doubted = [&](uint64_t i) {
    return passes(nodes[i]) && !nodes[i].verified ? nodes[i].speedup : leader_tree::absent;
  };
  for (const auto i : doubted_.at_least(from, doubted))
    refresh(nodes, i);
}

void openness::added(const tree_nodes& nodes, uint64_t index) {
  auto& m = marks_.emplace_back();
  const auto& n = nodes[index];
  for (const auto p : n.parents)
    marks_[p].flags |= is_used;
  if (banned_.contains(index) || (index != 0 && banned(n.parents.front())))
    m.flags |= is_banned;
}

void openness::finished(const tree_nodes& nodes, uint64_t index) {
  const auto& n = nodes[index];
  if (brought_nothing(n)) {
    ++marks_[n.parents.front()].exhausted;
    refresh(nodes, n.parents.front());
  }
  verified_.update(index, [&](uint64_t i) { return nodes[i].verified ? nodes[i].speedup : leader_tree::absent; });
  doubted_.update(index, [&](uint64_t i) {
    return passes(nodes[i]) && !nodes[i].verified ? nodes[i].speedup : leader_tree::absent;
  });
  refresh_best(nodes);
  refresh(nodes, index);
  if (has(index, is_used)) // made from while it was in flight
    refresh_children(nodes, index);
}

void openness::amended(const tree_nodes& nodes, uint64_t index) {
  const auto parent = nodes[index].parents.front();
  marks_[parent].exhausted = 0;
  for (const auto child : nodes[parent].children)
    marks_[parent].exhausted += brought_nothing(nodes[child]) ? 1U : 0U;
  verified_.update(index, [&](uint64_t i) { return nodes[i].verified ? nodes[i].speedup : leader_tree::absent; });
  doubted_.update(index, [&](uint64_t i) {
    return passes(nodes[i]) && !nodes[i].verified ? nodes[i].speedup : leader_tree::absent;
  });
  refresh(nodes, index); // before any other: its speed-up has changed
  refresh_best(nodes);
  refresh(nodes, parent);
  refresh_children(nodes, index);
}

void openness::ban_below(const tree_nodes& nodes, uint64_t index) {
  std::vector<uint64_t> open{index};
  while (!open.empty()) {
    const auto at = open.back();
    open.pop_back();
    const bool bans = banned_.contains(at) || (at != 0 && banned(nodes[at].parents.front()));
    if (bans == banned(at) && at != index)
      continue;
    marks_[at].flags = static_cast<uint8_t>((marks_[at].flags & ~is_banned) | (bans ? is_banned : 0));
    refresh(nodes, at);
    open.insert(open.end(), nodes[at].children.begin(), nodes[at].children.end());
  }
}

void openness::steer(const tree_nodes& nodes, const std::set<uint64_t>& pinned, const std::set<uint64_t>& banned,
                     bool from_reference) {
  from_reference_ = from_reference;
  const auto pins = difference(pinned, pinned_);
  const auto bans = difference(banned, banned_);
  if (!pins.empty())
    pinned_ = pinned;
  if (!bans.empty())
    banned_ = banned;
  for (const auto i : pins)
    if (i < nodes.size())
      refresh(nodes, i);
  for (const auto i : bans)
    if (i < nodes.size())
      ban_below(nodes, i);
}

} // namespace kevolve
