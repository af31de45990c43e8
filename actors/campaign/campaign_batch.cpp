// Exports a campaign whose target no device here can serve: unjudged candidates travel as a file (runtime/node/batch).
// While it is exported the campaign stands still, so that the results fit. Only steps in progress are finished.
#include "actors/campaign/campaign_steps.hpp"
#include "actors/messages/promises.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"
#include "runtime/base/wall_clock.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <utility>

namespace kevolve::campaign_steps {

namespace {

struct elsewhere {
  std::optional<pause_reason> reason;
  std::string why;
};

elsewhere look(const campaign_state& st) {
  const auto& f = st.fold;
  const auto& context = *st.context;
  if (f.ended)
    return {};
  if (is_away(st))
    return {pause_reason::import, away_text(*f.away)};
  const auto waiting = awaiting_judgement(f);
  if (context.evaluate_only) {
    const bool done = st.phase() == campaign_phase::running && st.flight.empty() && waiting == 0;
    return done ? elsewhere{pause_reason::home, "all that came along is judged"} : elsewhere{};
  }
  if (!context.batch || st.pauses.holds(pause_reason::models))
    return {};
  const auto command = ": kevolve batch export " + short_string(context.id);
  if (st.phase() == campaign_phase::finishing)
    return {pause_reason::batch, "the best waits for a batch that confirms it" + command};
  const bool rests = st.phase() == campaign_phase::running && waiting != 0 && waiting == f.open.size();
  return rests ? elsewhere{pause_reason::batch, batch_text(waiting) + command} : elsewhere{};
}

caf::result<steer_answer> store_batch(pointer self, batch_record r, std::function<void()> then) {
  auto& st = self->state;
  r.time_ns = wall_clock_ns();
  fold_batch(st.fold, r);
  log::info("campaign", "{}: batch {} {}{}", st.context->name, short_string(r.batch), to_string(r.action),
            r.by.empty() ? "" : " by " + r.by);
  mind_elsewhere(self);
  auto promise = self->make_response_promise<steer_answer>();
  push(self, event_kind::campaign_batch, encode(r), {status_value(st)},
       [self, promise, then = std::move(then)]() mutable {
         promise.deliver(steer_answer{status_of(self->state), 0, true});
         if (then)
           then();
       });
  return promise;
}

caf::result<steer_answer> send_out(pointer self, const steer_request& q) {
  auto& st = self->state;
  if (is_away(st))
    return to_error(away_failure(st));
  if (!st.context->batch)
    return to_error({errc::conflict, "this node judges candidates of target '" + st.context->spec->target
                                         + "' itself; [[device]] batch = true, or kevolve run --batch, says that no "
                                           "device of it can be reached"});
  if (st.phase() == campaign_phase::preparing)
    return to_error({errc::conflict, "the campaign is being prepared: ask again in a moment"});
  const auto waiting = awaiting_judgement(st.fold);
  if (waiting == 0 && st.phase() != campaign_phase::finishing)
    return to_error({errc::conflict, "no candidate awaits its judgement: ask again when one does"});
  batch_record r;
  r.batch = q.batch;
  r.action = batch_action::exported;
  r.by = q.by;
  r.candidates = waiting;
  return store_batch(self, std::move(r), {});
}

caf::result<steer_answer> give_up_batch(pointer self, const steer_request& q) {
  auto& st = self->state;
  if (st.frozen)
    return to_error(away_failure(st));
  if (!st.fold.away)
    return to_error({errc::conflict, "the campaign has no exported batch"});
  batch_record r;
  r.batch = st.fold.away->batch;
  r.action = batch_action::cancelled;
  r.by = q.by;
  r.candidates = st.fold.away->candidates;
  st.frozen = true; // until it begins anew from what is stored
  return store_batch(self, std::move(r), [self] {
    if (auto d = caf::actor_cast<caf::actor>(self->state.context->directory))
      caf::anon_send(d, atom::begin_v, self->state.context->id);
  });
}

} // namespace

bool is_away(const campaign_state& st) {
  return st.frozen || (st.fold.away && !st.context->evaluate_only);
}

failure away_failure(const campaign_state& st) {
  if (st.frozen || !st.fold.away)
    return {errc::conflict, "the campaign's batch is being brought back: ask again in a moment"};
  return {errc::conflict, "the campaign is " + away_text(*st.fold.away)};
}

std::string batch_text(uint64_t waiting) {
  return std::to_string(waiting) + (waiting == 1 ? " candidate waits" : " candidates wait") + " for a batch";
}

void mind_elsewhere(pointer self) {
  auto& st = self->state;
  if (st.frozen)
    return;
  const auto before = st.pauses.elsewhere();
  auto now = look(st);
  if (now.why == (before ? st.pauses.words(*before) : std::string{}))
    return;
  st.pauses.set_elsewhere(now.reason, now.why);
  keep_time(self);
  st.own_status->says(now.reason ? "waits: " + now.why : to_string(st.phase()));
  const bool begins = now.reason == pause_reason::batch && !before;
  if (!begins && !(!now.reason && before == pause_reason::batch))
    return;
  log::info("campaign", "{}: {}", st.context->name, begins ? now.why : "no longer waits for a batch");
  if (!st.fold.ended)
    push(self, event_kind::campaign_state,
         encode(state_record{begins ? run_state::waiting : run_state::running, now.why}), {status_value(st)});
}

caf::result<steer_answer> ask_batch(pointer self, const steer_request& q) {
  auto& st = self->state;
  if (q.action == steer_action::batch_out)
    return send_out(self, q);
  if (q.action == steer_action::batch_cancel)
    return give_up_batch(self, q);
  // After batch_in the campaign writes no event that could come in between. The file's reader checks that it fits.
  const bool fits = !st.frozen && st.fold.away && st.fold.away->batch == q.batch;
  st.frozen = st.frozen || fits;
  return steer_answer{status_of(st), 0, fits};
}

} // namespace kevolve::campaign_steps
