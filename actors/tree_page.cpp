#include "actors/tree_page.hpp"

#include <algorithm>
#include <utility>

namespace kevolve {

namespace {

node_brief brief_of(const campaign_fold& f, const tree_node& n, bool elsewhere) {
  node_brief b;
  b.index = n.index;
  b.parents = n.parents;
  b.state = n.phase == node_phase::finished ? "finished" : "in_flight";
  b.result = n.index == 0 ? "reference" : to_string(n.result);
  b.fitness = n.fitness;
  b.ci_low = n.ci_low;
  b.ci_high = n.ci_high;
  b.estimate = n.estimate;
  b.confirmed = n.confirmed;
  b.draft = n.draft;
  b.visits = n.visits;
  b.pinned = f.steered.pinned.contains(n.index);
  b.banned = is_banned(f.tree, f.steered.banned, n.index);
  if (auto x = f.steered.injected.find(n.index); x != f.steered.injected.end())
    b.injected_by = x->second.by;
  if (elsewhere && awaits_judgement(f, n.index))
    b.waits_for = "a batch";
  if (auto s = f.summaries.find(n.index); s != f.summaries.end())
    b.summary = s->second;
  return b;
}

} // namespace

tree_page page_of_tree(const campaign_fold& f, bool elsewhere, uint64_t first, uint64_t limit) {
  const auto& nodes = f.tree.nodes();
  tree_page out;
  out.total = nodes.size();
  const auto from = std::min<uint64_t>(first, out.total);
  const auto count = std::min<uint64_t>(limit, out.total - from);
  out.items.reserve(count);
  for (uint64_t i = from; i < from + count; ++i)
    out.items.push_back(brief_of(f, nodes[i], elsewhere));
  return out;
}

} // namespace kevolve
