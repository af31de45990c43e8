#include "actors/campaign/skill_choice.hpp"

#include "actors/campaign/parent_stage.hpp"
#include "actors/knowledge/skill_distil.hpp"
#include "runtime/base/memory_operators.hpp"

#include <algorithm>
#include <cmath>

namespace kevolve {

namespace {

constexpr const char* turn_key = "skill_turn";
constexpr const char* promise_key = "skill_promise";

// A generator combines two parents, and takes moves out of a candidate that failed: neither applies a skill.
bool may_apply(const campaign_fold& f, const selection_record& r) {
  const auto from = start_of(r);
  return from == 0 || (r.parents.size() == 1 && f.tree.at(from).result == verdict::pass);
}

// A trial from the same candidate that has no proposal yet would be made twice: its step is not known to be there.
bool is_being_tried(const campaign_fold& f, const selection_record& r) {
  return std::any_of(f.open.begin(), f.open.end(), [&](const auto& open) {
    return !open.second.skills.empty() && open.second.statistics.contains(turn_key)
           && start_of(open.second) == start_of(r) && !awaits_judgement(f, open.first);
  });
}

} // namespace

uint64_t start_of(const selection_record& r) {
  return r.draft || starts_afresh(r.memory) || r.parents.empty() ? 0 : r.parents.front();
}

void choose_skills(selection_record& r, const campaign_fold& f, const skill_index& all,
                   std::vector<std::string> signals, bool moves, const skill_moment& when) {
  if (r.draft && moves)
    r.statistics["draft_index"] -= static_cast<double>(f.turns.drafts);
  if (all.empty() || (moves && !may_apply(f, r)))
    return;
  skill_situation wanted{std::move(signals), moves, r.seed};
  if (!moves) {
    r.skills = find_skills(all, wanted, when);
    return;
  }
  if (auto stage = stage_signal(f.tree, start_of(r)); !stage.empty())
    wanted.signals.push_back(std::move(stage));
  auto found = find_skills(all, wanted, when);
  if (found.empty())
    return;
  double promise = 0.0;
  for (const auto& s : found)
    promise = std::max(promise, s.weight);
  const bool is_turn = !is_being_tried(f, r) && is_skills_turn(f.turns, promise, r.seed);
  r.statistics[promise_key] = promise;
  r.statistics[turn_key] = is_turn ? 1.0 : 0.0;
  if (is_turn)
    r.skills = std::move(found);
}

void fold_turn_begun(skill_turns& turns, const selection_record& r) {
  if (r.statistics.contains(turn_key))
    turns.begin(!r.skills.empty(), r.draft);
}

void fold_turn_ended(skill_turns& turns, const selection_record& r, const node_record& n, double best_before) {
  if (!r.statistics.contains(turn_key))
    return;
  const bool counts = n.result == verdict::pass && n.confirmed && n.duplicate_of == 0 && n.speedup > best_before;
  turns.end(!r.skills.empty(), !!applied_skill(r.skills, n.proposal.summary), r.draft,
            counts ? std::log(n.speedup / best_before) : 0.0);
}

} // namespace kevolve
