#include "actors/campaign/promotion.hpp"

#include "actors/evaluation/plan.hpp"
#include "actors/search/policy.hpp"

namespace kevolve {

namespace {

template <class Choice>
uint64_t best_of(const campaign_fold& f, const std::set<uint64_t>& banned, Choice eligible) {
  uint64_t best = 0;
  for (const auto& n : f.tree.nodes())
    if (n.index != 0 && n.result == verdict::pass && n.ci_low > 1.0 && eligible(n.index)
        && !is_banned(f.tree, banned, n.index) && (best == 0 || n.speedup > f.tree.at(best).speedup))
      best = n.index;
  return best;
}

} // namespace

uint64_t best_allowed(const campaign_fold& f, const std::set<uint64_t>& banned) {
  return best_of(f, banned, [&f](uint64_t index) { return f.tree.at(index).confirmed; });
}

uint64_t best_measured(const campaign_fold& f) {
  return best_of(f, f.steered.banned,
                 [&f](uint64_t index) { return f.tree.at(index).confirmed && f.measured.contains(index); });
}

uint64_t most_promising(const campaign_fold& f) {
  return best_of(f, f.steered.banned, [&f](uint64_t index) {
    const auto& n = f.tree.at(index);
    const auto asked = f.confirmations.find(index);
    const auto promoted = asked != f.confirmations.end() && asked->second.stage != to_string(stage::final_confirm);
    return !n.confirmed && !n.estimate && n.duplicate_of == 0 && !f.measured.contains(index) && !promoted;
  });
}

uint64_t champion_under(const campaign_fold& f, const std::set<uint64_t>& after) {
  const auto now = f.champion.index;
  if (now != 0 && is_banned(f.tree, after, now))
    return best_allowed(f, after);
  const auto best = best_allowed(f, after);
  const auto returns =
      best != 0 && is_banned(f.tree, f.steered.banned, best) && f.tree.at(best).speedup > f.champion.speedup;
  return returns ? best : now;
}

champion_record promotion_of(const campaign_fold& f, uint64_t index) {
  champion_record c;
  c.index = index;
  c.set_speedup(f.tree.at(index)); // the reference's are 1
  if (const auto object = f.objects.find(index); index != 0 && object != f.objects.end())
    c.object = object->second;
  return c;
}

} // namespace kevolve
