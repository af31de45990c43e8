#include "actors/search/tree.hpp"

#include "runtime/base/codec.hpp"

#include <algorithm>
#include <utility>

namespace kevolve {

namespace {

// The hashed part of a node; the children follow from the parents.
struct node_digest {
  const tree_node& node;
};

template <class I>
typename I::result_type inspect(I& f, node_digest& x) {
  const auto& n = x.node;
  return f(n.index, n.parents, n.phase, n.result, n.speedup, n.ci_low, n.ci_high, n.estimate, n.confirmed, n.draft,
           n.visits, n.value, n.virtual_loss);
}

// Returns the figures of a result that passes, and zeros for any other.
speedup_interval figures_of(const score& x) {
  return x.result == verdict::pass ? speedup_interval{x} : speedup_interval{};
}

bool same_figures(const speedup_interval& a, const speedup_interval& b) {
  return a.speedup == b.speedup && a.ci_low == b.ci_low && a.ci_high == b.ci_high;
}

} // namespace

search_tree::search_tree() {
  tree_node root;
  root.phase = node_phase::finished;
  root.result = verdict::pass;
  root.set_speedup({1.0, 1.0, 1.0});
  root.confirmed = true;
  root.verified = true;
  root.visits = 1;
  root.value = 1.0;
  nodes_.push_back(std::move(root));
  rehash(0, {});
}

uint64_t search_tree::add(std::vector<uint64_t> parents, bool draft) {
  // Only a damaged journal names a node that is not there; the hash it recorded will tell.
  std::erase_if(parents, [&](uint64_t p) { return p >= nodes_.size(); });
  if (parents.empty())
    parents.push_back(0);
  tree_node n;
  n.index = nodes_.size();
  n.parents = std::move(parents);
  n.draft = draft;
  n.virtual_loss = 1;
  nodes_[n.parents.front()].children.push_back(n.index);
  nodes_.push_back(n);
  rehash(n.index, {});
  for (auto at = n.index; at != 0;) {
    at = nodes_[at].parents.front();
    auto before = digest(at);
    ++nodes_[at].virtual_loss;
    rehash(at, before);
  }
  ++in_flight_;
  return n.index;
}

bool search_tree::finish(uint64_t index, const node_outcome& outcome) {
  if (index >= nodes_.size() || nodes_[index].phase != node_phase::in_flight)
    return false;
  auto passes = outcome.result == verdict::pass;
  const auto gained = figures_of(outcome);
  // The node itself, then each ancestor up to the root.
  for (auto at = index;; at = nodes_[at].parents.front()) {
    auto before = digest(at);
    auto& n = nodes_[at];
    if (at == index) {
      n.phase = node_phase::finished;
      n.set_score(outcome);
      n.set_speedup(gained);
      n.confirmed = passes && outcome.confirmed;
      n.verified = passes && (outcome.verified || outcome.confirmed);
      n.duplicate_of = outcome.duplicate_of;
    }
    ++n.visits;
    n.value = std::max(n.value, gained.speedup);
    --n.virtual_loss;
    rehash(at, before);
    if (at == 0)
      break;
  }
  --in_flight_;
  ++finished_;
  if (passes)
    ++valid_;
  return true;
}

bool search_tree::amend(uint64_t index, const score& found, bool confirmed) {
  if (index == 0 || index >= nodes_.size() || nodes_[index].phase != node_phase::finished)
    return false;
  const auto passes = found.result == verdict::pass;
  const auto& now = nodes_[index];
  if (now.result == found.result && (!passes || same_figures(now, found)))
    return false;
  if (now.result == verdict::pass && !passes)
    --valid_;
  else if (now.result != verdict::pass && passes)
    ++valid_;
  for (auto at = index;; at = nodes_[at].parents.front()) {
    const auto before = digest(at);
    auto& n = nodes_[at];
    if (at == index) {
      n.result = found.result;
      n.set_speedup(figures_of(found));
      n.confirmed = passes && (n.confirmed || confirmed);
      n.verified = passes && n.verified;
    }
    n.value = n.phase == node_phase::finished ? n.speedup : 0.0;
    for (const auto child : n.children)
      n.value = std::max(n.value, nodes_[child].value);
    rehash(at, before);
    if (at == 0)
      return true;
  }
}

id128 search_tree::digest(uint64_t index) const {
  // Journals from before there was an audit recorded hashes of trees without that mark.
  const auto& n = nodes_[index];
  const auto* audited = n.verified && !n.confirmed ? "audited" : "";
  return derive_id("tree node", encode(node_digest{n}) + audited);
}

// Each node's digest covers its index, so exclusive or neither cancels two nodes nor depends on their order.
void search_tree::rehash(uint64_t index, const id128& before) {
  auto after = digest(index);
  hash_.hi ^= before.hi ^ after.hi;
  hash_.lo ^= before.lo ^ after.lo;
}

} // namespace kevolve
