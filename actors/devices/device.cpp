#include "actors/devices/device.hpp"

#include "actors/devices/device_samples.hpp"
#include "actors/messages/keys.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/wall_clock.hpp"

namespace kevolve {

namespace {

using device_pointer = device_actor::stateful_pointer<device_state>;

constexpr auto store_limit = std::chrono::seconds{60};

std::chrono::milliseconds now(device_pointer self) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(self->clock().now().time_since_epoch());
}

// Stores the latest record if it is worth storing. Only one write runs at a time, so that a slow disk gathers none. A
// refused write is dropped: the journal reports the reason, and the next record is tried.
void store_latest(device_pointer self) {
  auto& st = self->state;
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(self->clock().now() - st.stored_at);
  if (st.storing || !st.setup.journal || !worth_storing(st.stored, st.latest, since))
    return;
  st.storing = true;
  const auto& id = st.setup.offer.resource_id;
  auto record = st.latest;
  ++record.serial;
  append_request a;
  a.values = {{keys::index, keys::device(id), encode(record)},
              {keys::index, sample_key(id, record.serial), encode(record)}};
  a.may_lag = true;
  self->request(st.setup.journal, store_limit, atom::append_v, std::move(a))
      .then(
          [self, record](uint64_t) {
            auto& state = self->state;
            state.storing = false;
            state.latest.serial = record.serial;
            state.stored = record;
            state.stored_at = self->clock().now();
            if (state.setup.board)
              state.setup.board->show(state.setup.offer.resource_id, state.latest);
            store_latest(self); // stores a change that came meanwhile
          },
          [self](caf::error&) { self->state.storing = false; });
}

// Publishes and stores a new sample or state of the device.
void note(device_pointer self) {
  auto& st = self->state;
  st.latest.time_ns = wall_clock_ns();
  st.latest.state = to_string(st.health.is);
  st.latest.why = st.health.why;
  if (st.setup.board)
    st.setup.board->show(st.setup.offer.resource_id, st.latest);
  store_latest(self);
}

void begin_probe(device_pointer self) {
  auto& st = self->state;
  st.proving = true;
  judge_request q;
  q.job = random_id();
  q.mode = judge_mode::probe;
  q.limit_ms = st.setup.health.probe_limit_ms;
  st.probe = q.job;
  st.own_status->says("proving itself");
  helper_owner::put(self, frame_kind::judge_request, q);
}

void answer_job(device_pointer self, judge_outcome outcome) {
  auto promise = std::exchange(self->state.promise, {});
  helper_owner::finish(self);
  promise.deliver(std::move(outcome));
}

void begin_job(device_pointer self, const judge_request& request) {
  auto& st = self->state;
  if (probe_due(st.health, st.setup.health, now(self))) {
    st.postponed = request;
    begin_probe(self);
  } else
    helper_owner::put(self, frame_kind::judge_request, request);
}

// Drops a cancelled job that waits for a probe. The judge does not know it before the probe has ended.
void drop_postponed(device_state& st, const id128& job) {
  if (!st.postponed || st.postponed->job != job)
    return;
  st.postponed.reset();
  st.doubtful.emplace();
  st.doubtful->job = job;
  st.doubtful->trouble = {fault_kind::cancelled, "the request was cancelled before it began", 0};
}

void job_ended(device_pointer self, judge_outcome outcome) {
  auto& st = self->state;
  after_job(st.health, outcome);
  note(self);
  if (casts_doubt(outcome)) {
    st.doubtful = std::move(outcome);
    begin_probe(self);
  } else
    answer_job(self, std::move(outcome));
}

void probe_ended(device_pointer self, const judge_outcome& outcome) {
  auto& st = self->state;
  st.probe = {};
  st.proving = false;
  st.watched = false;
  const auto& id = st.setup.offer.resource_id;
  const auto was_sick = !st.unfit.empty();
  after_probe(st.health, st.setup.health, outcome, now(self));
  note(self);
  auto postponed = std::exchange(st.postponed, std::nullopt);
  auto doubtful = std::exchange(st.doubtful, std::nullopt);
  if (st.health.is == device_health::state::quarantined) {
    log::warn("device", "{} is quarantined for {} ms: {}", id, st.health.backoff.count(), st.health.why);
    st.unfit = "quarantined: " + st.health.why;
    self->delayed_send(self, st.health.backoff, atom::probe_v);
    // The lease ends with the offer, so the job's holder must ask for another.
    st.offer_due = true;
    if (st.job)
      answer_job(self, spared(st.health, st.job, id));
    else
      helper_owner::offer(self);
    return;
  }
  st.unfit.clear();
  if (st.setup.board)
    st.setup.board->measured(id, outcome.evidence);
  if (was_sick)
    log::info("device", "{} is fit again", id);
  if (doubtful)
    answer_job(self, std::move(*doubtful));
  else if (postponed)
    helper_owner::put(self, frame_kind::judge_request, *postponed);
  else
    helper_owner::offer(self);
}

void answered(device_pointer self, uint8_t kind, const std::string& payload) {
  auto& st = self->state;
  if (kind == static_cast<uint8_t>(frame_kind::device_sample)) {
    if (auto sample = decode<device_sample>(payload)) {
      st.latest.sample = std::move(*sample);
      note(self);
    }
    return;
  }
  if (helper_owner::heard(self, kind, payload, [self] { begin_probe(self); })
      || kind != static_cast<uint8_t>(frame_kind::judge_outcome))
    return;
  auto outcome = decode<judge_outcome>(payload);
  if (outcome && st.probe && outcome->job == st.probe)
    probe_ended(self, *outcome);
  else if (outcome && st.job && outcome->job == st.job && !st.probe)
    job_ended(self, std::move(*outcome));
  else
    log::warn("device", "{}: an answer that belongs to no job", st.setup.offer.resource_id);
}

} // namespace

device_actor::behavior_type device(device_pointer self, actor_status_ptr own_status, helper_setup setup) {
  auto& st = self->state;
  st.own_status = std::move(own_status);
  st.setup = std::move(setup);
  st.proving = true;
  if (st.setup.board) { // starts from the stored record, except for its state
    st.latest = st.setup.board->latest(st.setup.offer.resource_id).value_or(device_record{});
    st.latest.state = to_string(st.health.is);
    st.latest.why.clear();
    st.setup.board->show(st.setup.offer.resource_id, st.latest);
  }
  report_exceptions(self);
  helper_owner::watch_scheduler(self);
  helper_owner::start(self);
  return {
      [self](atom::judge, const lease& l, const judge_request& request) -> caf::result<judge_outcome> {
        handling h{self, self->state.own_status, "judge"};
        return helper_owner::take<judge_outcome>(self, l, request, [&] { begin_job(self, request); });
      },
      [self](atom::cancel, const id128& job) {
        handling h{self, self->state.own_status, "cancel"};
        drop_postponed(self->state, job);
        if (self->state.job == job && self->state.helper)
          self->state.helper->send(static_cast<uint8_t>(frame_kind::cancel), encode(helper_cancel{job}));
      },
      [self](atom::release, const lease& l) {
        handling h{self, self->state.own_status, "release"};
        if (l.epoch == self->state.epoch)
          drop_postponed(self->state, self->state.job);
        helper_owner::released(self, l);
      },
      [self](atom::offer) { helper_owner::offer(self); },
      [self](atom::answer, uint8_t kind, const std::string& payload) {
        handling h{self, self->state.own_status, "answer"};
        answered(self, kind, payload);
      },
      [self](atom::helper_end, int32_t status) {
        handling h{self, self->state.own_status, "helper_end"};
        helper_owner::ended<judge_outcome>(self, status);
      },
      [self](atom::tick) { helper_owner::look(self); },
      [self](atom::probe) {
        handling h{self, self->state.own_status, "probe"};
        if (self->state.helper && !self->state.proving)
          begin_probe(self);
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace kevolve
