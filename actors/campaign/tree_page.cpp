#include "actors/campaign/tree_page.hpp"

#include <algorithm>
#include <utility>

namespace kevolve {

namespace {

// Tells if the node was never timed: its code equals its baseline's, so it has the baseline's figure, as a point.
bool has_baselines_figure(const tree_node& n) {
  return n.index != 0 && n.result == verdict::pass && n.estimate && n.ci_low == n.speedup && n.ci_high == n.speedup;
}

double best_figure(const campaign_fold& f) {
  if (f.ended && f.finish.best != 0)
    return f.finish.speedup;
  return f.champion.index == 0 ? 1.0 : f.champion.speedup;
}

std::string state_of(const campaign_fold& f, const tree_node& n) {
  if (n.phase == node_phase::finished)
    return "finished";
  return f.ended ? "abandoned" : "in_flight"; // what a campaign had begun ends with it
}

node_brief brief_of(const campaign_fold& f, const tree_node& n, bool elsewhere) {
  node_brief b;
  b.index = n.index;
  b.parents = n.parents;
  b.state = state_of(f, n);
  b.set_score(n);
  if (has_baselines_figure(n)) {
    b.speedup = std::min(n.speedup, best_figure(f)); // the baseline may have been measured again since
    b.ci_low = b.ci_high = 0.0;
  }
  if (const auto* basis = f.bases.find(n.index))
    b.basis = *basis;
  b.confirmed = n.confirmed;
  b.draft = n.draft;
  b.duplicate_of = n.duplicate_of;
  if (const auto owner = f.reused.find(n.index); owner != f.reused.end())
    b.reused_from = owner->second;
  b.visits = n.visits;
  b.island = n.island;
  b.pinned = f.steered.pinned.contains(n.index);
  b.banned = is_banned(f.tree, f.steered.banned, n.index);
  if (auto x = f.steered.injected.find(n.index); x != f.steered.injected.end())
    b.injected_by = x->second.by;
  if (elsewhere && !f.ended && awaits_judgement(f, n.index))
    b.waits_for = "a batch";
  if (const auto* words = f.summaries.find(n.index))
    b.summary = *words;
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
