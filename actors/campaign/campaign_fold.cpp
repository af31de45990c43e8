#include "actors/campaign/campaign_fold.hpp"

#include "actors/campaign/campaign_states.hpp"
#include "actors/campaign/skill_choice.hpp"
#include "actors/evaluation/plan.hpp"
#include "actors/search/axes.hpp"
#include "actors/search/surprise.hpp"

#include "runtime/base/codec.hpp"
#include "runtime/base/kinds.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kevolve {

bool fold_selected(campaign_fold& f, selection_record r) {
  if (r.index < f.tree.size())
    return false;
  // An index beyond the next one (after a lost event) gets the next one; the recorded hash reveals the loss.
  f.tree.add(r.parents, origin_of(r.policy, r.memory, r.statistics, r.draft));
  if (r.draft)
    ++f.drafts;
  if (!f.steered.injected.contains(r.index) && r.statistics.contains("generator"))
    ++f.begun[chosen_generator(r)];
  fold_turn_begun(f.turns, r);
  const auto index = r.index;
  f.open.insert_or_assign(f.open.end(), index, std::move(r));
  return true;
}

bool fold_switched(campaign_fold& f, const switch_record& r) {
  auto& progress = f.tree.index().progress();
  const auto to = parse_enum<search_phase>(r.to).value_or(search_phase::exploit);
  if (r.index < f.tree.size() || to == progress.phase())
    return false;
  progress.switched(to);
  return true;
}

namespace {

void note_owner(campaign_fold& f, uint64_t index, const result_owner& owner) {
  if (owner)
    f.reused[index] = owner;
  else
    f.reused.erase(index);
}

// Adds the step's gain over the best known before it, and its cost, to the yield of its generator.
void count_yield(campaign_fold& f, const node_record& r) {
  const auto step = f.open.find(r.index);
  if (step == f.open.end() || f.steered.injected.contains(r.index))
    return;
  const auto generator = chosen_generator(step->second);
  auto& y = f.yields[generator];
  ++y.steps;
  const bool people = find_generator_kind(r.proposal.generator).waits_for_people;
  bandit_yield own{1.0, 0.0, static_cast<double>((people ? 0 : r.propose_ns) + r.compile_ns + r.judge_ns) / 1e9,
                   static_cast<double>(r.money) / 1e9};
  const auto before = f.champion.index == 0 ? 1.0 : f.champion.speedup;
  if (r.result == verdict::pass && r.confirmed && r.duplicate_of == 0 && r.speedup > before)
    own.gain = std::log(r.speedup / before);
  y.seconds += own.seconds;
  y.gain += own.gain;
  add_step(f.recent, generator, own);
  f.repeated[generator] += r.asked_again + (r.duplicate_of != 0 ? 1U : 0U);
}

} // namespace

namespace {

// Returns why a node has no candidate; shown in place of its summary.
std::string why_nothing(const node_record& r) {
  constexpr size_t most = 200;
  auto out = r.rule.empty() || r.detail.empty() ? r.rule + r.detail : r.rule + ": " + r.detail;
  if (out.size() <= most)
    return out;
  auto end = most;
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0U) == 0x80U) // not within a character
    --end;
  return out.substr(0, end) + "…";
}

} // namespace

bool fold_finished(campaign_fold& f, const node_record& r) {
  const bool verified = f.confirmations.contains(r.index) || r.rule == rule_name::same_object;
  const node_outcome o{{r}, r.confirmed, verified, r.duplicate_of, bins_of(r.features), prior_of(r.features)};
  if (!f.tree.finish(r.index, o))
    return r.index >= f.tree.size(); // never selected: a lost event
  count_yield(f, r);
  const auto why = no_verdict_of(r.rule);
  if (const auto step = f.open.find(r.index); step != f.open.end()) {
    fold_turn_ended(f.turns, step->second, r, f.champion.index == 0 ? 1.0 : f.champion.speedup);
    if (why == no_verdict::exhausted)
      ++f.dry[chosen_generator(step->second)];
  }
  f.open.erase(r.index);
  f.money.erase(r.index);
  f.bases.set(r.index, r.basis);
  f.genomes.set(r.index, genome_fingerprint(r.proposal.genome));
  f.summaries.set(r.index,
                  r.proposal.summary.empty() && r.proposal.source.empty() ? why_nothing(r) : r.proposal.summary);
  if (r.proposal.candidate && r.result != verdict::none && r.duplicate_of == 0) {
    f.judged.emplace(r.proposal.candidate, r.index);
    if (r.normalised)
      f.judged.emplace(r.normalised, r.index);
    if (!r.object.empty())
      f.judged.emplace(object_id(r.object), r.index);
    f.dry.clear(); // something new to start from
  }
  if (r.confirmed)
    f.objects.insert_or_assign(f.objects.end(), r.index, r.object);
  note_owner(f, r.index, r.reused_from);
  count_node(f.samples, r);
  f.compile_ns += r.compile_ns;
  f.judge_ns += r.judge_ns;
  if (why == no_verdict::withdrawn || why == no_verdict::exhausted)
    ++f.unasked;
  if (why == no_verdict::exhausted)
    ++f.exhausted_in_a_row;
  else
    f.exhausted_in_a_row = 0;
  if (r.result == verdict::pass)
    ++f.valid_since_best;
  return true;
}

confirmation_record confirmation_of(const campaign_fold& f, double false_discovery, uint64_t index,
                                    const evaluation& outcome) {
  confirmation_record r;
  r.index = index;
  r.stage = outcome.confirmed_by;
  r.log_e = outcome.log_e;
  if (!r.stage.starts_with(to_string(stage::confirm)))
    return r; // an audit alone claims nothing
  r.test = f.promotions.tests + 1;
  r.level = next_level(false_discovery, f.promotions);
  r.discovery = outcome.confirmed && is_discovery(r.log_e, r.level);
  return r;
}

bool fold_confirmed(campaign_fold& f, const confirmation_record& r) {
  if (!f.confirmations.emplace(r.index, r).second)
    return false;
  if (r.test != 0)
    count_test(f.promotions, r.discovery);
  return true;
}

bool fold_champion_changed(campaign_fold& f, const champion_record& r) {
  auto known = f.champion.index == r.index && f.champion.speedup == r.speedup && f.champion.ci_low == r.ci_low;
  // The same champion measured anew is no improvement, so it does not end a stall.
  if (f.champion.index != r.index)
    f.valid_since_best = 0;
  f.champion.index = r.index;
  f.champion.object = r.object;
  f.champion.set_speedup(r);
  return !known;
}

bool fold_amended(campaign_fold& f, const amendment_record& r) {
  if (r.result == verdict::pass)
    f.measured.insert(r.index);
  f.bases.set(r.index, r.basis);
  if (!f.tree.amend(r.index, r, r.confirmed))
    return false;
  note_owner(f, r.index, r.reused_from);
  return true;
}

bool fold_steered(campaign_fold& f, const steering_record& r) {
  if (!apply(f.steered, r))
    return false;
  if (r.action == steer_action::reopen) {
    f.ended = false;
    f.finish = {};
    f.paused = false;
    f.pause_reason.clear();
  }
  return true;
}

bool fold_called(campaign_fold& f, const call_event& e) {
  if (!f.calls.insert(e.call.number).second)
    return false;
  if (e.spent.calls >= f.spent.calls) // sums only grow: of two calls that ended together the later event may come first
    f.spent = e.spent;
  f.yields[e.id.generator].money += static_cast<double>(std::max<int64_t>(0, e.call.money)) / 1e9;
  if (f.open.contains(e.id.node))
    f.money[e.id.node] += std::max<int64_t>(0, e.call.money);
  return true;
}

void fold_batch(campaign_fold& f, const batch_record& r) {
  f.batches[r.batch] = r;
  if (r.action == batch_action::exported)
    f.away = r;
  else if (f.away && f.away->batch == r.batch)
    f.away.reset();
}

uint64_t known_as(const campaign_fold& f, const id128& id) {
  const auto known = f.judged.find(id);
  return known == f.judged.end() ? 0 : known->second;
}

uint64_t twin_of(const campaign_fold& f, const node_record& r) {
  return r.result == verdict::none || r.object.empty() ? 0 : known_as(f, object_id(r.object));
}

id128 node_id(const id128& campaign, uint64_t index) {
  return derive_id("node", encode(std::pair{campaign, index}));
}

uint64_t node_seed(uint64_t campaign_seed, uint64_t index) {
  return derive_id("seed", encode(std::pair{campaign_seed, index})).lo;
}

uint32_t chosen_generator(const selection_record& r) {
  auto at = r.statistics.find("generator");
  return at == r.statistics.end() ? 0 : static_cast<uint32_t>(at->second);
}

} // namespace kevolve
