#include "actors/campaign/campaign_steps.hpp"

#include "actors/campaign/append.hpp"
#include "actors/campaign/campaign_generators.hpp"
#include "actors/campaign/campaign_skills.hpp"
#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "actors/search/search_node.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/log.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <iterator>

namespace kevolve::campaign_steps {

namespace {

constexpr auto retry_after = std::chrono::seconds{2};
constexpr uint32_t faults_a_node = 10;
constexpr size_t stale_at_a_time = 4; // nodes; a restarted campaign goes through all of them again, in steps

void write_next(pointer self) {
  auto& st = self->state;
  if (!st.outbox.ready())
    return;
  auto [a, callbacks] = st.outbox.take(st.context->id);
  auto batch = std::make_shared<std::vector<event_outbox::callback>>(std::move(callbacks));
  const auto first = st.recorded_ns < 0; // follows the session that it belongs to
  if (auto time = time_record(st))
    a.events.insert(first ? a.events.end() : a.events.begin(), std::move(*time));
  append(
      self, st.own_status, st.context->journal, caf::actor_cast<caf::actor>(st.context->campaign), std::move(a),
      [self, batch](uint64_t sequence) {
        self->state.outbox.written();
        self->state.fold.last_sequence = sequence;
        for (auto& stored : *batch)
          stored();
        write_next(self);
      },
      [self](caf::error& e) {
        // The journal refuses permanently: only a fresh fold of its events is safe.
        self->quit(std::move(e));
      });
}

void spawn_node(pointer self, node_record record) {
  auto& st = self->state;
  auto open = st.fold.open.find(record.index);
  if (open == st.fold.open.end() || st.fold.ended || st.flight.actor_of(record.index))
    return;
  auto index = record.index;
  auto node = spawn_tracked<caf::linked + caf::monitored>(
      *self, st.context->statuses, "search_node", short_string(st.context->id) + "/" + std::to_string(index),
      static_cast<uint64_t>(self->id()), search_node, st.context, std::move(record), to_step(st.fold, open->second),
      champion_now(st));
  st.flight.attach(index, caf::actor_cast<caf::actor>(node));
  self->send(node, atom::begin_v);
}

node_record fresh_record(const campaign_state& st, const selection_record& r) {
  node_record record;
  record.index = r.index;
  record.node = r.node;
  record.parents = r.parents;
  record.state = candidate_state::selected;
  record.baseline = st.fold.champion.index;
  for (const auto& s : r.skills)
    record.skills.push_back(s.id);
  return record;
}

// Adopts a node that has no actor, from its stored record if there is one.
void adopt(pointer self, uint64_t index) {
  auto& st = self->state;
  st.flight.expect(index);
  self->request(st.context->journal, until_answered, atom::lookup_v, std::string{keys::nodes},
                keys::node(st.context->id, index))
      .then(
          [self, index](std::string& bytes) {
            auto open = self->state.fold.open.find(index);
            if (open == self->state.fold.open.end())
              return;
            auto record = decode_older<node_record>(bytes);
            if (record && record->state == candidate_state::proposed)
              spawn_node(self, std::move(*record));
            else if (self->state.context->evaluate_only)
              self->state.flight.remove(index); // it stays as it is until somebody can make it anew
            else                                // unreadable: the proposal is lost, its step is not
              spawn_node(self, fresh_record(self->state, open->second));
          },
          [self, index](caf::error& e) {
            auto& state = self->state;
            auto open = state.fold.open.find(index);
            if (open == state.fold.open.end())
              return;
            if (to_failure(e).code == errc::not_found)
              spawn_node(self, fresh_record(state, open->second));
            else
              arm_retry(self);
          });
}

void note_switch(pointer self, uint64_t index, const phase_switch& to) {
  auto& st = self->state;
  const switch_record r{index, to_string(st.fold.tree.index().progress().phase()), to_string(to.to), to.reason};
  log::info("campaign", "{}: the search turns from {} to {}: {}", st.context->name, r.from, r.to, r.reason);
  fold_switched(st.fold, r);
  push(self, event_kind::search_switched, encode(r));
}

void start_node(pointer self, uint64_t seed, const next_step& next) {
  auto& st = self->state;
  auto index = st.fold.tree.size();
  auto s = select(st.fold.tree, policy_of(*st.context->spec, st.fold.steered), seed);
  const auto switched = s.switched;
  auto r = record_of(std::move(s), index, seed);
  r.node = node_id(st.context->id, index);
  r.statistics["generator"] = static_cast<double>(next.generator);
  note_scores(r, next.arms, next.may);
  note_emphasis(r, st.fold, *st.context->spec);
  note_skills(r, st, next.generator);
  if (switched)
    note_switch(self, index, *switched);
  fold_selected(st.fold, r);
  r.tree_hash = st.fold.tree.hash();
  st.flight.select(index); // its actor follows when the selection is stored
  push(self, event_kind::node_selected, encode(r), {}, [self, r] {
    self->state.flight.selected(r.index);
    if (!self->state.fold.ended)
      spawn_node(self, fresh_record(self->state, r));
  });
}

campaign_progress progress_of(const campaign_state& st) {
  auto p = progress_of(st.fold, wall_seconds(st));
  p.cancelled = st.cancelled;
  return p;
}

} // namespace

bool move(pointer self, campaign_event event) {
  auto& st = self->state;
  const auto from = st.phase();
  if (st.machine.apply(event))
    return true;
  log::error("campaign", "{}: {} cannot happen to a campaign that is {}", st.context->name, to_string(event),
             to_string(from));
  return false;
}

void thin_samples(pointer self) {
  auto& st = self->state;
  const auto keep = static_cast<uint64_t>(st.context->spec->judge.keep_samples);
  for (const auto& id : take_stale(st.fold.samples, keep, stale_at_a_time))
    self->request(st.context->journal, until_answered, atom::lookup_v, std::string{keys::evaluations},
                  keys::evaluation(id))
        .then(
            [self](std::string& bytes) {
              auto record = decode_older<evaluation_record>(bytes);
              if (!record || self->state.fold.ended || !thin(*record))
                return;
              append_request a;
              a.values.push_back({keys::evaluations, keys::evaluation(record->evaluation), encode(*record)});
              push(self, std::move(a));
            },
            [](caf::error&) {}); // damaged or gone: no samples to keep
}

champion_info champion_now(const campaign_state& st) {
  auto out = st.fold.champion;
  out.level = next_level(st.context->spec->judge.false_discovery, st.fold.promotions);
  return out;
}

void arm_retry(pointer self) {
  self->delayed_send(self, retry_after, atom::tick_v, ++self->state.generation);
}

void adopt_open(pointer self) {
  auto& st = self->state;
  if (is_away(st))
    return;
  for (const auto& [index, record] : st.fold.open) {
    const bool made_at_home = st.context->evaluate_only && !awaits_judgement(st.fold, index);
    const bool not_begun =
        st.phase() == campaign_phase::paused && st.fold.steered.injected.contains(index); // before the pause
    if (!made_at_home && !not_begun && !st.flight.actor_of(index) && !st.flight.is_selecting(index))
      adopt(self, index);
  }
}

void push(pointer self, event_kind kind, std::string payload, std::vector<stored_value> values,
          std::function<void()> stored) {
  append_request what;
  what.events.push_back({kind, std::move(payload)});
  what.values = std::move(values);
  push(self, std::move(what), std::move(stored));
}

void push(pointer self, append_request what, std::function<void()> stored) {
  self->state.outbox.add(std::move(what), std::move(stored));
  write_next(self);
}

one_append::one_append(pointer self) : self_(self) {
  self_->state.outbox.gather(true);
}

one_append::~one_append() {
  self_->state.outbox.gather(false);
  write_next(self_);
}

namespace {

// Suspends the campaign until the model board changes, if no generator may be asked and no other work is under way.
void await_models(pointer self, const std::string& held) {
  auto& st = self->state;
  const bool rests = !held.empty() && std::all_of(st.fold.open.begin(), st.fold.open.end(), [&](const auto& open) {
    return awaits_model(st, open.second) || (st.context->batch && awaits_judgement(st.fold, open.first));
  });
  const auto why = rests ? "every model is on hold: " + held : std::string{};
  if (why == st.pauses.words(pause_reason::models))
    return;
  const bool changed = why.empty() == st.pauses.holds(pause_reason::models);
  st.pauses.set(pause_reason::models, why);
  keep_time(self);
  st.own_status->says(why.empty() ? to_string(st.phase()) : "waits: " + why);
  if (!changed)
    return;
  log::info("campaign", "{}: {}", st.context->name, why.empty() ? "a model may be asked again" : why);
  push(self, event_kind::campaign_state, encode(state_record{rests ? run_state::waiting : run_state::running, why}),
       {status_value(st)});
}

void start_nodes(pointer self) {
  auto& st = self->state;
  if (st.phase() != campaign_phase::running || st.pauses.holds(pause_reason::storage)
      || st.pauses.holds(pause_reason::cluster) || is_away(st))
    return;
  const auto rules = rules_of(*st.context->spec, st.fold.steered);
  std::string spent_out; // no room for another call, though some of the budget may be left
  if (const auto& board = st.context->board) {
    for (const auto& e : board->take_ended(st.context->id))
      fold_called(st.fold, e);
    spent_out = board->spent_out(st.context->id);
  }
  auto decision = should_stop(rules, progress_of(st));
  if (!decision.stop && !spent_out.empty())
    decision = {true, end_reason::budget, spent_out};
  if (decision.stop) {
    withdraw_questions(self);
    if (st.flight.empty() && (!st.context->evaluate_only || st.fold.open.empty()))
      finish(self, decision.reason, decision.detail);
    return; // what is in flight ends first
  }
  if (st.context->evaluate_only)
    return;
  const auto held = hold_of_all(st);
  await_models(self, held);
  if (!held.empty())
    return;
  const auto budget = rules.candidates;
  while (budget == 0 || charged(st.fold) + st.fold.tree.in_flight() < budget) {
    const auto seed = node_seed(st.context->spec->seed, st.fold.tree.size());
    const auto next = next_generator(st, seed);
    if (!next || awaits_results(st, next->generator))
      break;
    start_node(self, seed, *next);
  }
}

} // namespace

void pump(pointer self) {
  mind_cluster(self);
  profile_next(self);
  start_nodes(self);
  mind_elsewhere(self);
}

void pause(pointer self, pause_reason why, const std::string& reason, std::function<void()> stored) {
  auto& st = self->state;
  if (!move(self, campaign_event::pause))
    return;
  st.reason = reason;
  st.fold.paused = true;
  st.fold.pause_reason = reason;
  st.pauses.set(why, reason);
  st.pauses.clear(pause_reason::models);
  mind_elsewhere(self);
  keep_time(self);
  st.own_status->rests("paused: " + reason);
  push(self, event_kind::campaign_state, encode(state_record{run_state::paused, reason}), {status_value(st)},
       std::move(stored));
}

void resume(pointer self, const std::string& reason) {
  auto& st = self->state;
  const bool waits = st.context->dormant;
  if (!move(self, waits              ? campaign_event::queue
                  : st.fold.prepared ? campaign_event::resume
                                     : campaign_event::resume_unprepared))
    return;
  st.fold.paused = false;
  st.fold.pause_reason.clear();
  st.pauses.clear_paused();
  st.reason = waits ? waits_for_place : "";
  st.faults_in_a_row = 0;
  keep_time(self);
  st.own_status->says(to_string(st.phase()));
  push(self, event_kind::campaign_state, encode(state_record{run_state::running, reason}), {status_value(st)},
       [self, waits] {
         if (!waits)
           retry(self);
       });
}

void retry(pointer self) {
  auto& st = self->state;
  if (st.phase() == campaign_phase::preparing)
    prepare(self);
  else if (st.phase() == campaign_phase::running) {
    adopt_open(self);
    pump(self);
  } else if (st.phase() == campaign_phase::finishing && !st.fold.ended)
    finish(self, st.fold.finish.stop_reason, st.fold.finish.detail);
}

namespace {

// Ends a node that no attempt could judge or make: it gets no verdict and no score.
void give_up(pointer self, uint64_t index, no_verdict why, fault f) {
  auto& st = self->state;
  auto record = fresh_record(st, st.fold.open.at(index));
  record.state = candidate_state::finished;
  record.rule = to_string(why);
  record.detail = f.kind + ": " + f.detail;
  if (why == no_verdict::not_judged)
    record.trouble = std::move(f);
  caf::anon_send(caf::actor_cast<caf::actor>(self), atom::finished_v, node_result{std::move(record), {}});
}

} // namespace

void node_faulted(pointer self, uint64_t index, fault f) {
  auto& st = self->state;
  if (!st.fold.open.contains(index) || st.fold.ended)
    return;
  f.retried = st.flight.count_fault(index);
  st.last_fault = f.kind + ": " + f.detail;
  const auto& r = st.fold.open.at(index);
  const bool refused = awaits_model(st, r) && !refusal_of(st, chosen_generator(r)).empty();
  if (!refused) // else the models have told it already
    log::warn("campaign", "{}: candidate {}: fault {}: {}", st.context->name, index, f.kind, f.detail);
  push(self, event_kind::node_faulted, encode(fault_record{index, f, st.fold.tree.hash()}));
  if (refused) {
    give_up(self, index, no_verdict::withdrawn, std::move(f)); // others may make what its model cannot
    return;
  }
  // A failed baseline is superseded: the next attempt has another one.
  const bool counts = f.kind != fault_kind::baseline_failed || st.fold.champion.index == 0;
  if (counts && ++st.faults_in_a_row >= faults_allowed && st.phase() == campaign_phase::running) {
    pause(self, pause_reason::faults,
          std::to_string(st.faults_in_a_row) + " faults in a row, the last: " + f.kind + ": " + f.detail);
    return;
  }
  if (st.flight.faults(index) >= faults_a_node) { // others end meanwhile: it is this one
    give_up(self, index, no_verdict::not_judged, std::move(f));
    return;
  }
  arm_retry(self);
}

void cancel_nodes(pointer self) {
  auto& st = self->state;
  withdraw_questions(self);
  for (const auto& node : st.flight.release()) {
    self->unlink_from(node);
    self->send_exit(node, caf::exit_reason::user_shutdown);
  }
}

} // namespace kevolve::campaign_steps
