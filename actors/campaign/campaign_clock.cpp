// Counts a campaign's wall time, and ends the campaign when its budget of wall time is over. The time is recorded with
// whatever the campaign stores, and every few seconds when it stores nothing. A crash loses the time since the last
// record, and adds none.
#include "actors/campaign/campaign_steps.hpp"
#include "runtime/base/codec.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace kevolve::campaign_steps {

namespace {

using namespace std::chrono;

constexpr auto record_every = seconds{5};
constexpr auto soonest = milliseconds{50};
constexpr auto look_again_after = seconds{1}; // once the budget is over, or while the cluster is away

int64_t now_ns() {
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

bool should_run(const campaign_state& st) {
  const auto at_work = st.phase() == campaign_phase::preparing || st.phase() == campaign_phase::running
                       || st.phase() == campaign_phase::finishing;
  return at_work && !st.fold.paused && !st.fold.ended && rests_for(st).empty();
}

double wall_budget(const campaign_state& st) {
  return rules_of(*st.context->spec, st.fold.steered).wall_s;
}

nanoseconds unrecorded(const campaign_state& st) {
  return nanoseconds{st.clock.spent_ns(now_ns()) - st.recorded_ns};
}

void arm(pointer self) {
  auto& st = self->state;
  const auto budget = wall_budget(st);
  auto next = std::clamp(ceil<milliseconds>(record_every - unrecorded(st)), soonest, milliseconds{record_every});
  if (budget > 0.0) {
    const auto left = milliseconds{static_cast<int64_t>(std::min((budget - wall_seconds(st)) * 1e3, 1e9))};
    next = left <= left.zero() ? look_again_after : std::clamp(left, soonest, next);
  }
  if (st.context->judged_elsewhere)
    next = std::min(next, milliseconds{look_again_after});
  self->delayed_send(self, next, atom::tick_v);
}

// Ends a campaign by its budget of wall time, even while it waits for an event that may never come.
void mind_budget(pointer self) {
  auto& st = self->state;
  const auto budget = wall_budget(st);
  const auto wall = wall_seconds(st);
  if (budget <= 0.0 || wall < budget)
    return;
  if (st.phase() == campaign_phase::running)
    pump(self); // starts nothing more, and ends it if nothing is in flight
  const auto awaited = st.context->statuses->awaited("device");
  if (st.fold.ended
      || !is_over({.beyond_s = wall - std::max(budget, st.phase_from_s),
                   .preparing = st.phase() == campaign_phase::preparing,
                   .has_best = st.fold.champion.index != 0,
                   .stuck = !awaited.empty() || st.faults_in_a_row > 0}))
    return;
  auto why = should_stop({.wall_s = budget}, {.wall_s = wall}).detail;
  if (!awaited.empty())
    why += ", " + awaited;
  else if (!st.last_fault.empty() && (st.faults_in_a_row > 0 || st.phase() == campaign_phase::preparing))
    why += "; the last fault: " + st.last_fault;
  else if (st.phase() == campaign_phase::preparing)
    why += "; by then the task was not admitted: a call of its reference may take longer than that";
  cancel_nodes(self);
  self->send(st.context->evaluator, atom::cancel_v);
  end(self, {{}, campaign_phase::finished, end_reason::budget, std::move(why), 0, {}});
}

} // namespace

void keep_time(pointer self) {
  auto& st = self->state;
  if (std::exchange(st.timed_phase, st.phase()) != st.phase())
    st.phase_from_s = wall_seconds(st);
  if (!should_run(st)) {
    st.clock.rest(now_ns());
    return;
  }
  st.clock.run(now_ns());
  if (!std::exchange(st.ticking, true))
    arm(self);
}

void clock_ticked(pointer self) {
  auto& st = self->state;
  const bool waited = st.pauses.holds(pause_reason::cluster);
  mind_cluster(self);
  if (waited && !st.pauses.holds(pause_reason::cluster))
    pump(self);
  if (st.clock.runs())
    mind_budget(self);
  st.ticking = st.clock.runs() || st.pauses.holds(pause_reason::cluster); // the cluster's return is no message
  if (!st.ticking)
    return;
  if (!st.clock.runs()) {
    self->delayed_send(self, look_again_after, atom::tick_v);
    return;
  }
  if (!st.outbox.writing() && unrecorded(st) >= record_every)
    push(self, append_request{}); // what is written takes the time along
  arm(self);
}

std::optional<event_draft> time_record(campaign_state& st) {
  const auto more = unrecorded(st);
  if (st.recorded_ns >= 0 && (more.count() == 0 || (more < record_every && st.clock.runs())))
    return std::nullopt;
  st.recorded_ns += more.count();
  return event_draft{event_kind::campaign_ran, encode(run_record{st.recorded_ns})};
}

void note_time(pointer self) {
  auto& st = self->state;
  if (st.recorded_ns < 0)
    return; // no session has begun
  st.clock.rest(now_ns());
  auto record = time_record(st);
  if (!record)
    return;
  append_request a;
  a.campaign = st.context->id;
  a.events.push_back(std::move(*record));
  caf::anon_send(st.context->journal, atom::append_v, std::move(a));
}

double wall_seconds(const campaign_state& st) {
  return static_cast<double>(st.clock.spent_ns(now_ns())) / 1e9;
}

} // namespace kevolve::campaign_steps
