#include "actors/search/tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace kevolve {

namespace {

// Writes the hashed part of a node as the codec would, in place: a tree is hashed at every change.
class digest_bytes {
public:
  template <class T>
  void put(T x) {
    std::array<char, sizeof(T)> raw{};
    std::memcpy(raw.data(), &x, sizeof x);
    if constexpr (std::endian::native == std::endian::big)
      std::reverse(raw.begin(), raw.end());
    text_.append(raw.data(), raw.size());
  }
  std::string& text() { return text_; }

private:
  std::string text_;
};

// Returns the figures of a result that passes, and zeros for any other.
speedup_interval figures_of(const score& x) {
  return x.result == verdict::pass ? speedup_interval{x} : speedup_interval{};
}

bool same_figures(const speedup_interval& a, const speedup_interval& b) {
  return a.speedup == b.speedup && a.ci_low == b.ci_low && a.ci_high == b.ci_high;
}

id128 digest_of(const tree_node& n, bool with_statistics) {
  thread_local digest_bytes out;
  out.text().clear();
  out.put(uint64_t{n.index});
  out.put(static_cast<uint32_t>(n.parents.size()));
  for (const auto p : n.parents)
    out.put(p);
  out.put(static_cast<uint8_t>(n.phase));
  out.put(static_cast<uint8_t>(n.result));
  for (const auto x : {n.speedup, n.ci_low, n.ci_high})
    out.put(x);
  for (const auto x : {n.estimate, n.confirmed, n.draft})
    out.put(static_cast<uint8_t>(x));
  if (with_statistics) {
    out.put(uint64_t{n.visits});
    out.put(n.value);
    out.put(uint64_t{n.virtual_loss});
  }
  // Journals from before there was an audit recorded hashes of trees without that mark.
  if (n.verified && !n.confirmed)
    out.text() += "audited";
  return derive_id("tree node", out.text());
}

} // namespace

search_tree::search_tree() {
  auto& root = nodes_.add();
  root.phase = node_phase::finished;
  root.result = verdict::pass;
  root.set_speedup({1.0, 1.0, 1.0});
  root.confirmed = true;
  root.verified = true;
  root.visits = 1;
  root.value = 1.0;
  rehash(root);
  index_.added(nodes_, 0);
  index_.finished(nodes_, 0);
}

uint64_t search_tree::add(std::vector<uint64_t> parents, const node_origin& origin) {
  // Only a damaged journal names a node that is not there; the hash it recorded will tell.
  std::erase_if(parents, [&](uint64_t p) { return p >= nodes_.size(); });
  if (parents.empty())
    parents.push_back(0);
  const auto index = nodes_.size();
  auto& siblings = nodes_[parents.front()].children;
  auto& n = nodes_.add();
  n.index = static_cast<uint32_t>(index);
  n.parents = index_list{parents};
  n.draft = origin.draft;
  n.memory = origin.memory;
  n.island = origin.island;
  n.founds = origin.founds;
  n.virtual_loss = 1;
  n.place = static_cast<uint32_t>(siblings.size());
  siblings.push_back(n.index);
  rehash(n);
  for (auto at = parents.front();; at = nodes_[at].parents.front()) {
    ++nodes_[at].virtual_loss;
    changed_above(nodes_[at]);
    if (at == 0)
      break;
  }
  ++in_flight_;
  index_.added(nodes_, index);
  return index;
}

bool search_tree::finish(uint64_t index, const node_outcome& outcome) {
  if (index >= nodes_.size() || nodes_[index].phase != node_phase::in_flight)
    return false;
  auto passes = outcome.result == verdict::pass;
  const auto gained = figures_of(outcome);
  // The node itself, then each ancestor up to the root.
  for (auto at = index;; at = nodes_[at].parents.front()) {
    auto& n = nodes_[at];
    if (at == index) {
      n.phase = node_phase::finished;
      n.set_score(outcome);
      n.set_speedup(gained);
      n.confirmed = passes && outcome.confirmed;
      n.verified = passes && (outcome.verified || outcome.confirmed);
      n.duplicate_of = static_cast<uint32_t>(outcome.duplicate_of);
      n.behaviour = outcome.behaviour;
      n.prior = outcome.prior;
    }
    ++n.visits;
    n.value = std::max(n.value, gained.speedup);
    --n.virtual_loss;
    if (at == index)
      rehash(n);
    else
      changed_above(n);
    if (at == 0)
      break;
  }
  --in_flight_;
  ++finished_;
  if (passes)
    ++valid_;
  index_.finished(nodes_, index);
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
    if (at == index)
      rehash(n);
    else
      changed_above(n);
    if (at == 0)
      break;
  }
  index_.amended(nodes_, index);
  return true;
}

bool search_tree::characterise(uint64_t index, size_t axis, uint8_t bin) {
  if (index == 0 || index >= nodes_.size() || nodes_[index].phase != node_phase::finished
      || axis >= nodes_[index].behaviour.size() || nodes_[index].behaviour[axis] == bin)
    return false;
  const auto before = nodes_[index].behaviour;
  nodes_[index].behaviour[axis] = bin;
  index_.characterised(nodes_, index, before);
  return true;
}

// Each node's digest covers its index, so exclusive or neither cancels two nodes nor depends on their order.
void search_tree::rehash(tree_node& n) {
  const auto now = digest_of(n, hashes_statistics_);
  hash_.hi ^= n.digest.hi ^ now.hi;
  hash_.lo ^= n.digest.lo ^ now.lo;
  n.digest = now;
}

void search_tree::rehash_all() {
  for (auto& n : nodes_)
    rehash(n);
}

bool search_tree::recognises(const id128& recorded) {
  if (hash_ == recorded)
    return true;
  hashes_statistics_ = !hashes_statistics_;
  rehash_all();
  if (hash_ == recorded)
    return true;
  hashes_statistics_ = !hashes_statistics_;
  rehash_all();
  return false;
}

} // namespace kevolve
