#include "actors/campaign/profile_choice.hpp"

#include "actors/search/axes.hpp"
#include "runtime/base/kinds.hpp"

#include <algorithm>

namespace kevolve {

namespace {

// Returns true if the candidate may be profiled: it passed, is steered away from by nobody, and was not tried too
// often.
bool may_be_profiled(const campaign_fold& f, uint64_t index) {
  const auto& n = f.tree.at(index);
  if (n.phase != node_phase::finished || n.result != verdict::pass || f.profiles.contains(index))
    return false;
  const auto begun = f.profiles_begun.find(index);
  if (begun != f.profiles_begun.end() && begun->second >= profile_attempts)
    return false;
  return index == 0 || !is_banned(f.tree, f.steered.banned, index);
}

bool keeps_failing(const campaign_fold& f) {
  const auto failed =
      std::count_if(f.profiles.begin(), f.profiles.end(), [](const auto& x) { return !x.second.failure.empty(); });
  return static_cast<uint64_t>(failed) >= profile_failures;
}

} // namespace

bool reads_profiles(const campaign_spec& spec) {
  const auto evolution = spec.search.policies.find("evolution");
  if (evolution != spec.search.policies.end() && evolution->second > 0.0 && axes_named(spec.evolution.axes)[bound_axis])
    return true;
  return std::any_of(spec.generators.begin(), spec.generators.end(), [&](const generator_spec& g) {
    const auto& kind = find_generator_kind(g.kind);
    return g.weight > 0.0 && (kind.asks_model || (kind.reads_reference_c && spec.profile.move_factor > 1.0));
  });
}

double profile_allowance(const campaign_fold& f, const campaign_spec& spec, double wall_s) {
  uint64_t begun = 0;
  for (const auto& [index, times] : f.profiles_begun)
    begun += times;
  // A profile that was begun and has not ended, because the process did, has spent time that nobody measured.
  const auto lost = static_cast<double>(begun - std::min<uint64_t>(begun, f.profiles.size())) * spec.profile.budget_s;
  const auto budget = budget_of(spec, f.steered).wall_s;
  const auto passed = begun == 0 && budget > 0.0 ? budget : wall_s;
  return std::max(0.0, spec.profile.share * passed - f.profile_s - lost);
}

std::optional<uint64_t> next_profile(const campaign_fold& f, const campaign_spec& spec, double wall_s) {
  const auto& p = spec.profile;
  if (p.share <= 0.0 || f.ended || f.paused || !reads_profiles(spec) || keeps_failing(f))
    return std::nullopt;
  auto likely = p.budget_s; // on a busy machine a profile takes several times its budget: the next one will, too
  for (const auto& [index, r] : f.profiles)
    likely = std::max(likely, r.seconds);
  const auto rules = rules_of(spec, f.steered);
  const bool last_steps = rules.candidates != 0 && charged(f) + f.tree.in_flight() >= rules.candidates;
  const bool last_seconds = rules.wall_s > 0.0 && wall_s + likely >= rules.wall_s;
  if (last_steps || last_seconds || likely > profile_allowance(f, spec, wall_s))
    return std::nullopt;
  if (f.champion.index != 0 && may_be_profiled(f, f.champion.index))
    return f.champion.index;
  std::optional<uint64_t> best;
  size_t most = improved_often - 1;
  for (const auto& [index, r] : f.open) // what is improved now is improved again soon
    if (!r.parents.empty())
      if (const auto parent = r.parents.front();
          f.tree.at(parent).children.size() > most && may_be_profiled(f, parent)) {
        best = parent;
        most = f.tree.at(parent).children.size();
      }
  return best;
}

} // namespace kevolve
