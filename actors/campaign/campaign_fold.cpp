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

namespace {

template <class T, class F>
void with(campaign_fold& f, const journal_event& e, F apply) {
  auto record = decode_older<T>(e.payload);
  if (record)
    apply(*record);
  else if (f.mismatch.empty())
    f.mismatch = "event " + std::to_string(e.sequence) + ": " + to_string(record.error());
}

// Compares the tree's hash with the recorded one. `changed`: the event was new. A repeated one records an outdated
// hash.
void check_hash(campaign_fold& f, const journal_event& e, bool changed, const id128& recorded) {
  if (changed && f.mismatch.empty() && !f.tree.recognises(recorded))
    f.mismatch = "event " + std::to_string(e.sequence) + ": the folded tree's hash is " + to_string(f.tree.hash())
                 + ", recorded was " + to_string(recorded);
}

// Counts the time from one event to the next as the campaign's. Pauses do not count, nor does time after its end or
// after a session's last event.
void fold_time(campaign_fold& f, const journal_event& e) {
  if (e.kind == event_kind::session_started) {
    f.clock.forget();
    f.records_time = false;
  } else if (e.kind != event_kind::campaign_steered)
    f.clock.look(e.time_ns);
}

void run_or_rest(campaign_fold& f, int64_t time_ns) {
  if (f.paused || f.ended || f.records_time)
    f.clock.forget();
  else
    f.clock.run(time_ns);
}

} // namespace

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

void fold(campaign_fold& f, const journal_event& e) {
  f.last_sequence = e.sequence;
  if (e.version > record_version) { // what it means is not known: nothing of it is taken in
    if (f.mismatch.empty())
      f.mismatch = "event " + std::to_string(e.sequence) + ": its record is of version " + std::to_string(e.version)
                   + ", and this kevolve reads versions up to " + std::to_string(record_version);
    return;
  }
  fold_time(f, e);
  switch (e.kind) {
    case event_kind::session_started:
      run_or_rest(f, e.time_ns);
      break;
    case event_kind::campaign_ran:
      with<run_record>(f, e, [&](run_record& r) {
        f.clock = run_clock{std::max(f.clock.spent_ns(), r.wall_ns)};
        f.records_time = true;
      });
      break;
    case event_kind::campaign_prepared:
      with<preparation>(f, e, [&](preparation& p) {
        f.prepared = true;
        f.fixed = std::move(p);
      });
      break;
    case event_kind::search_switched:
      with<switch_record>(f, e, [&](switch_record& r) { fold_switched(f, r); });
      break;
    case event_kind::node_selected:
      with<selection_record>(f, e, [&](selection_record& r) {
        const auto recorded = r.tree_hash;
        check_hash(f, e, fold_selected(f, std::move(r)), recorded);
      });
      break;
    case event_kind::node_proposed:
      with<proposal_record>(f, e, [&](proposal_record& r) {
        f.genomes.set(r.index, genome_fingerprint(r.genome));
        f.summaries.set(r.index, r.summary);
      });
      break;
    case event_kind::node_finished:
      with<node_record>(f, e, [&](node_record& r) { check_hash(f, e, fold_finished(f, r), r.tree_hash); });
      break;
    case event_kind::champion_changed:
      with<champion_record>(f, e,
                            [&](champion_record& r) { check_hash(f, e, fold_champion_changed(f, r), r.tree_hash); });
      break;
    case event_kind::node_confirmed:
      with<confirmation_record>(f, e, [&](confirmation_record& r) { fold_confirmed(f, r); });
      break;
    case event_kind::node_amended:
      with<amendment_record>(f, e, [&](amendment_record& r) { check_hash(f, e, fold_amended(f, r), r.tree_hash); });
      break;
    case event_kind::campaign_state:
      with<state_record>(f, e, [&](state_record& r) {
        f.paused = r.state == run_state::paused;
        f.pause_reason = f.paused ? r.reason : std::string{};
        run_or_rest(f, e.time_ns);
      });
      break;
    case event_kind::campaign_finished:
      with<finish_record>(f, e, [&](finish_record& r) {
        f.ended = true;
        f.finish = std::move(r);
        run_or_rest(f, e.time_ns);
      });
      break;
    case event_kind::model_call_ended:
      with<call_event>(f, e, [&](const call_event& r) { fold_called(f, r); });
      break;
    case event_kind::profile_begun:
      with<profiling_record>(f, e, [&](const profiling_record& r) { fold_profile_begun(f, r); });
      break;
    case event_kind::candidate_profiled:
      with<profiling_record>(f, e, [&](const profiling_record& r) { fold_profiled(f, r); });
      break;
    case event_kind::campaign_batch:
      with<batch_record>(f, e, [&](const batch_record& r) { fold_batch(f, r); });
      break;
    case event_kind::campaign_steered:
      with<steering_record>(f, e, [&](steering_record& r) {
        if (r.serial > f.steered.serial + 1 && f.mismatch.empty())
          f.mismatch = "event " + std::to_string(e.sequence) + ": a change before this one is lost";
        if (!fold_steered(f, r))
          return;
        check_hash(f, e, true, r.tree_hash);
        if (hash_of(f.steered) != r.steering_hash && f.mismatch.empty())
          f.mismatch =
              "event " + std::to_string(e.sequence) + ": what was steered does not add up to what was recorded";
      });
      break;
    default:
      break;
  }
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
