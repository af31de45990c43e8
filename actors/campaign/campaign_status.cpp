// The fold as people and the rules of ending see it: status, progress, and what ends the campaign.
#include "actors/campaign/campaign_fold.hpp"
#include "actors/campaign/campaign_states.hpp"
#include "runtime/base/ids.hpp"

#include <algorithm>
#include <string>

namespace kevolve {

bool awaits_judgement(const campaign_fold& f, uint64_t index) {
  return f.open.contains(index) && f.summaries.contains(index);
}

uint64_t awaiting_judgement(const campaign_fold& f) {
  return static_cast<uint64_t>(
      std::count_if(f.open.begin(), f.open.end(), [&f](const auto& open) { return awaits_judgement(f, open.first); }));
}

std::string away_text(const batch_record& away) {
  return "exported as batch " + short_string(away.batch) + " of " + std::to_string(away.candidates)
         + (away.candidates == 1 ? " candidate" : " candidates")
         + ": kevolve batch import brings it back, kevolve batch cancel gives it up";
}

double wall_seconds_at_rest(const campaign_fold& f) {
  return static_cast<double>(f.clock.spent_ns()) / 1e9;
}

uint64_t charged(const campaign_fold& f) {
  return f.tree.finished() - f.unasked;
}

campaign_progress progress_of(const campaign_fold& f, double wall_s) {
  campaign_progress p;
  p.best_ci_low = f.champion.index == 0 ? 0.0 : f.champion.ci_low;
  p.candidates = charged(f);
  p.valid_since_best = f.valid_since_best;
  p.wall_s = wall_s;
  p.device_s = static_cast<double>(f.judge_ns) / 1e9;
  p.exhausted_in_a_row = f.exhausted_in_a_row;
  p.tokens = f.spent.tokens;
  p.cost = static_cast<double>(f.spent.money) / 1e9;
  return p;
}

campaign_status status_of(const campaign_fold& f, const campaign_spec& spec) {
  campaign_status s;
  s.target = spec.target;
  s.models = f.spent;
  s.stop_reason = f.ended ? f.finish.stop_reason : end_reason::none;
  s.candidates = charged(f);
  s.valid = f.tree.valid();
  s.in_flight = f.ended ? 0 : f.tree.in_flight(); // what a cancelled campaign had begun ends with it
  s.best = f.champion.index;
  if (f.champion.index != 0)
    s.set_speedup(f.champion);
  if (const auto owner = f.reused.find(s.best); owner != f.reused.end())
    s.reused_from = owner->second;
  if (const auto* basis = f.bases.find(f.champion.index))
    s.basis = *basis;
  if (f.ended && f.finish.best != 0) {
    s.best = f.finish.best;
    s.set_speedup(f.finish);
    s.basis = f.finish.basis;
    s.outputs = f.finish.outputs;
    s.baselines = f.finish.baselines;
    s.final_confirmed = !f.finish.shapes.empty();
    s.shapes = f.finish.shapes;
    s.disturbed = f.finish.disturbed;
    s.reused_from = f.finish.reused_from;
  }
  if (const auto* words = f.summaries.find(s.best); words != nullptr && s.best != 0)
    s.best_summary = *words;
  const auto budget = budget_of(spec, f.steered);
  s.budget_candidates = budget.candidates;
  s.budget_wall_s = budget.wall_s;
  s.budget_device_s = budget.device_s;
  s.budget_tokens = spec.budget.tokens;
  s.budget_cost = spec.budget.cost;
  s.priority = f.steered.priority;
  s.origin = f.steered.origin;
  s.origin_node = f.steered.origin_node;
  s.pinned.assign(f.steered.pinned.begin(), f.steered.pinned.end());
  s.banned.assign(f.steered.banned.begin(), f.steered.banned.end());
  s.compile_s = static_cast<double>(f.compile_ns) / 1e9;
  s.device_s = static_cast<double>(f.judge_ns) / 1e9;
  s.last_sequence = f.last_sequence;
  s.tree_hash = f.tree.hash();
  s.search = brief_of_search(f, spec);
  s.generators = brief_of_generators(f, spec);
  s.profiling = brief_of_profiling(f, spec);
  for (const auto& g : s.generators)
    s.repeated += g.repeated;
  if (f.away && !f.ended) {
    s.batch = f.away->batch;
    s.awaiting_batch = awaiting_judgement(f);
    s.waits_for = "import";
  }
  return s;
}

campaign_status status_at_rest(const campaign_fold& f, const campaign_spec& spec, const id128& id,
                               const std::string& name) {
  auto s = status_of(f, spec);
  s.id = id;
  s.name = name;
  s.wall_s = wall_seconds_at_rest(f);
  if (!f.mismatch.empty()) {
    s.state = to_string(campaign_phase::failed);
    s.reason = "the journal does not hold: " + f.mismatch;
  } else if (f.ended) {
    s.state = to_string(f.finish.state);
    s.reason = f.finish.detail;
  } else if (f.away) {
    s.state = to_string(campaign_phase::paused);
    s.reason = away_text(*f.away);
  } else if (f.paused) {
    s.state = to_string(campaign_phase::paused);
    s.reason = f.pause_reason;
  } else {
    s.state = stopped_state;
    s.reason = "no process is running it; kevolve run or kevolved takes it up again";
  }
  return s;
}

termination_rules rules_of(const campaign_spec& spec) {
  termination_rules r;
  r.target_speedup = spec.stop.speedup;
  r.candidates = static_cast<uint64_t>(spec.budget.candidates);
  r.wall_s = spec.budget.wall_s;
  r.device_s = spec.budget.device_s;
  r.tokens = spec.budget.tokens;
  r.cost = spec.budget.cost;
  r.stall = static_cast<uint64_t>(spec.stop.stall);
  return r;
}

termination_rules rules_of(const campaign_spec& spec, const steering& steered) {
  auto r = rules_of(spec);
  const auto budget = budget_of(spec, steered);
  r.candidates = budget.candidates;
  r.wall_s = budget.wall_s;
  r.device_s = budget.device_s;
  return r;
}

} // namespace kevolve
