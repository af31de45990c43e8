// Starts a campaign: folds its events, then prepares the task.
#include "actors/campaign/campaign_generators.hpp"
#include "actors/campaign/campaign_steps.hpp"
#include "actors/messages/promises.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/log.hpp"

#include <caf/send.hpp>

#include <utility>

namespace kevolve::campaign_steps {

namespace {

constexpr auto prepare_limit = std::chrono::minutes{60};
constexpr uint32_t page = 4'096;

void run(pointer self) {
  auto& st = self->state;
  if (!move(self, campaign_event::prepared))
    return;
  if (st.fold.paused && st.phase() != campaign_phase::paused)
    move(self, campaign_event::pause);
  st.reason = st.fold.pause_reason;
  keep_time(self);
  listen_to_board(self);
  st.own_status->says(to_string(st.phase()));
  if (st.fold.champion.index != 0)
    self->send(st.context->evaluator, atom::champion_changed_v, champion_now(st));
  adopt_open(self);
  pump(self);
}

void refused(pointer self, const preparation& p) {
  auto& a = p.admission;
  end(self, {{},
             campaign_phase::failed,
             end_reason::error,
             "the task is refused (" + to_string(a.result) + (a.rule.empty() ? "" : ", " + a.rule) + "): " + a.detail,
             0,
             {}});
}

void loaded(pointer self) {
  auto& st = self->state;
  st.context->priority->store(st.fold.steered.priority);
  st.clock = run_clock{st.fold.clock.spent_ns()};
  if (!st.fold.mismatch.empty()) {
    move(self, campaign_event::journal_damaged);
    st.reason = "the journal does not hold: " + st.fold.mismatch;
    log::error("campaign", "{}: {}", st.context->name, st.reason);
    tell_ended(self);
    return;
  }
  if (st.fold.ended) {
    move(self, st.fold.finish.state == campaign_phase::failed ? campaign_event::found_failed
                                                              : campaign_event::found_finished);
    st.reason = st.fold.finish.detail;
    st.own_status->says(to_string(st.phase()));
    if (!st.context->dormant) { // taken up as one that goes on: what is stored beside its events may say so
      append_request a;
      a.campaign = st.context->id;
      a.values.push_back(status_value(st));
      caf::anon_send(st.context->journal, atom::append_v, std::move(a));
    }
    tell_ended(self);
    return;
  }
  if (is_away(st)) {
    move(self, st.fold.paused ? campaign_event::found_paused : campaign_event::found_away);
    mind_elsewhere(self);
    return;
  }
  if (st.context->evaluate_only) // who paused it did so at home
    st.fold.paused = false;
  if (st.context->dormant) {
    move(self, st.fold.paused ? campaign_event::found_paused : campaign_event::queue);
    st.reason = st.fold.paused ? st.fold.pause_reason : waits_for_place;
    st.own_status->says(to_string(st.phase()));
    return;
  }
  keep_time(self);
  push(self, event_kind::session_started, encode(session_record{st.context->node, st.context->epoch}),
       {status_value(st)}, [self] {
         auto& state = self->state;
         if (!state.fold.paused || state.fold.prepared) {
           prepare(self);
           return;
         }
         if (!move(self, campaign_event::found_paused)) // before it was prepared, which whoever resumes it asks for
           return;
         state.reason = state.fold.pause_reason;
         state.pauses.set(pause_reason::person, state.reason);
         state.own_status->rests("paused: " + state.reason);
       });
}

void read_page(pointer self, uint64_t after) {
  auto& st = self->state;
  self->request(st.context->journal, until_answered, atom::events_v, st.context->id, after, page)
      .then(
          [self](std::vector<journal_event>& events) {
            for (const auto& e : events)
              fold(self->state.fold, e);
            if (events.size() == page)
              read_page(self, events.back().sequence);
            else {
              loaded(self);
              self->state.loaded = true;
              for (auto& p : std::exchange(self->state.status_askers, {}))
                p.deliver(status_of(self->state));
              for (auto& [p, q] : std::exchange(self->state.early_steering, {}))
                p.delegate(campaign_actor{self}, atom::steer_v, std::move(q));
              for (auto& [p, reason] : std::exchange(self->state.early_resumes, {}))
                p.delegate(campaign_actor{self}, atom::resume_v, std::move(reason));
            }
          },
          [self](caf::error& e) { self->quit(std::move(e)); });
}

} // namespace

void prepare(pointer self) {
  auto& st = self->state;
  st.own_status->says("preparing");
  self->request(st.context->evaluator, prepare_limit, atom::prepare_v)
      .then(
          [self](preparation& p) {
            auto& state = self->state;
            if (state.fold.ended)
              return; // cancelled meanwhile
            state.fold.prepared = true;
            state.fold.fixed = p;
            state.reason.clear();
            const bool not_yet = state.context->batch && p.admission.result == verdict::none;
            if (p.admission.result != verdict::pass && !not_yet)
              refused(self, p);
            else
              run(self);
          },
          [self](caf::error& e) {
            auto& state = self->state;
            if (state.phase() != campaign_phase::preparing)
              return;
            state.reason = to_string(to_failure(e));
            state.last_fault = state.reason;
            log::scope about{state.own_status->ids()};
            log::warn("campaign", "{}: cannot prepare yet: {}", state.context->name, state.reason);
            // A machine that only evaluates a batch does not wait for a missing toolchain.
            const bool for_good =
                state.context->evaluate_only && state.reason.find(fault_kind::toolchain_missing) != std::string::npos;
            mind_cluster(self);
            if (state.pauses.holds(pause_reason::cluster))
              arm_retry(self); // it is not the task's fault
            else if (++state.faults_in_a_row >= faults_allowed || for_good)
              pause(self, pause_reason::preparation, "cannot prepare: " + state.reason);
            else
              arm_retry(self);
          });
}

void load(pointer self) {
  self->state.own_status->says("folding");
  read_page(self, 0);
}

} // namespace kevolve::campaign_steps
