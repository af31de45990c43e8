#include "actors/search/search_index.hpp"

#include <algorithm>

namespace kevolve {

namespace {

// Up to so many children are looked at one by one.
constexpr size_t few_children = 16;

bool passes(const tree_node& n) {
  return n.phase == node_phase::finished && n.result == verdict::pass;
}

bound_point point_of(const tree_node& parent, double exploration, double prior_sum) {
  return {exploration, static_cast<double>(uint64_t{parent.visits} + parent.virtual_loss), prior_sum};
}

} // namespace

void search_index::touch(const tree_nodes& nodes, uint64_t index) {
  if (races_.empty())
    return;
  for (auto at = index; at != 0;) {
    const auto& n = nodes[at];
    at = n.parents.front();
    if (const auto found = races_.find(static_cast<uint32_t>(at)); found != races_.end())
      found->second.matches.touch(n.place);
  }
}

// Every bound depends on the range of all values and on whether exhausted nodes are open.
void search_index::update_bounds(const tree_nodes& nodes) {
  for (const auto i : may_.take_changed()) {
    touch(nodes, i);
    if (islands_)
      islands_->changed(nodes, may_, i);
  }
  const auto low = slowest_.top() == leader_tree::nobody ? 1.0 : nodes[slowest_.top()].speedup;
  const auto high = fastest_.top() == leader_tree::nobody ? 1.0 : nodes[fastest_.top()].speedup;
  if (low == range_.low && high == range_.high && lax_ == may_.lax())
    return;
  range_ = {low, high};
  lax_ = may_.lax();
  ++epoch_;
}

void search_index::refresh_range(const tree_nodes& nodes, uint64_t index) {
  fastest_.update(index, [&](uint64_t i) { return passes(nodes[i]) ? nodes[i].speedup : leader_tree::absent; });
  slowest_.update(index, [&](uint64_t i) { return passes(nodes[i]) ? -nodes[i].speedup : leader_tree::absent; });
}

void search_index::added(const tree_nodes& nodes, uint64_t index) {
  may_.added(nodes, index);
  if (islands_)
    islands_->added(nodes, index);
  touch(nodes, index);
  update_bounds(nodes);
}

void search_index::finished(const tree_nodes& nodes, uint64_t index) {
  may_.finished(nodes, index);
  if (const auto& n = nodes[index]; n.prior != 1.0F) {
    const auto parent = static_cast<uint32_t>(n.parents.front());
    priors_[parent] += static_cast<double>(n.prior) - 1.0;
    if (const auto found = races_.find(parent); found != races_.end())
      found->second.matches.touch_all();
  }
  if (index != 0)
    progress_.ended(nodes[index], may_.mates().contains(index));
  if (islands_)
    islands_->changed(nodes, may_, index);
  refresh_range(nodes, index);
  touch(nodes, index);
  update_bounds(nodes);
}

void search_index::amended(const tree_nodes& nodes, uint64_t index) {
  may_.amended(nodes, index);
  if (islands_)
    islands_->changed(nodes, may_, index);
  refresh_range(nodes, index);
  touch(nodes, index);
  update_bounds(nodes);
}

void search_index::characterised(const tree_nodes& nodes, uint64_t index, const behaviour_bins& before) {
  if (islands_)
    islands_->characterised(nodes, may_, index, before);
}

void search_index::steer(const tree_nodes& nodes, const std::set<uint64_t>& pinned, const std::set<uint64_t>& banned,
                         bool from_reference) {
  may_.steer(nodes, pinned, banned, from_reference);
  update_bounds(nodes);
}

populations& search_index::islands(const tree_nodes& nodes, const evolution_options& options) {
  if (!islands_ || !(islands_->options() == options))
    islands_.emplace(nodes, may_, options);
  return *islands_;
}

double search_index::prior_sum(const tree_nodes& nodes, uint64_t parent) const {
  const auto found = priors_.find(static_cast<uint32_t>(parent));
  return found == priors_.end() ? 0.0 : found->second + static_cast<double>(nodes[parent].children.size());
}

// Returns the bound with q̂ in [0, 1]; a subtree without a valid candidate is worth 0. Nodes in flight count as visits
// that brought nothing, so that concurrent selections spread.
bound_line search_index::line_of(const tree_node& n) const {
  bound_line out;
  out.present = may_.reachable(n.index);
  out.visits = static_cast<double>(uint64_t{n.visits} + n.virtual_loss);
  out.prior = static_cast<double>(n.prior);
  if (n.value <= 0.0)
    return out;
  const auto q =
      range_.high > range_.low ? std::clamp((n.value - range_.low) / (range_.high - range_.low), 0.0, 1.0) : 1.0;
  out.value = q * static_cast<double>(n.visits) / out.visits;
  return out;
}

uint64_t search_index::best_child(const tree_nodes& nodes, uint64_t parent, double exploration) {
  const auto& n = nodes[parent];
  const auto at = point_of(n, exploration, prior_sum(nodes, parent));
  if (n.children.size() <= few_children) {
    uint64_t best = 0;
    auto highest = 0.0;
    for (const auto c : n.children)
      if (const auto line = line_of(nodes[c]); line.present)
        if (const auto bound = bound_of(line, at); best == 0 || bound > highest) {
          best = c;
          highest = bound;
        }
    return best;
  }
  auto& r = races_[static_cast<uint32_t>(parent)];
  if (r.epoch != epoch_) {
    r.epoch = epoch_;
    r.matches.touch_all();
  }
  const auto place = r.matches.best(static_cast<uint32_t>(n.children.size()), at,
                                    [&](uint32_t child) { return line_of(nodes[n.children[child]]); });
  return place == bound_race::nobody ? 0 : n.children[place];
}

} // namespace kevolve
