// The common part of compiler workers and devices. Each owns one helper process and offers it to the scheduler after
// its hello. It runs one job at a time under a lease and ends when the helper ends, so that its supervisor starts a new
// pair.
#pragma once

#include "actors/actor_states.hpp"
#include "actors/actor_status.hpp"
#include "actors/devices/device_board.hpp"
#include "actors/devices/device_health.hpp"
#include "actors/interfaces.hpp"
#include "actors/messages/promises.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/helper_log.hpp"
#include "runtime/base/helper_process.hpp"
#include "runtime/base/log.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/exit_reason.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <type_traits>

namespace boost::asio {
class io_context;
}

namespace kevolve {

// Does not change during the life of a resource, across restarts.
struct helper_setup {
  boost::asio::io_context* io = nullptr;
  helper_options options;
  resource_offer offer; // its handle is set at each offer
  scheduler_actor scheduler;
  health_rules health;                               // devices only
  std::shared_ptr<device_board> board;               // devices only; null: not published
  journal_actor journal;                             // devices only; invalid: nothing is stored
  std::shared_ptr<const std::atomic<bool>> stopping; // true while the node stops; null: never
};

template <class Outcome>
struct helper_owner_state {
  actor_status_ptr own_status;
  helper_setup setup;
  std::shared_ptr<helper_process> helper;
  helper_hello hello;
  uint64_t epoch = 0;                          // 0: not offered yet
  bool offer_due = false;                      // offer once the current job or probe has ended
  bool proving = false;                        // a device whose probe has not passed yet
  std::string unfit;                           // reason for which it gets no jobs; empty: it is ready
  caf::actor_addr scheduler_instance;          // the scheduler instance that knows this resource; its end is monitored
  bool watched = false;                        // the helper has work, and a deadline applies
  bool ticking = false;                        // a tick has been sent
  caf::actor_clock::time_point deadline;       // while `watched`
  std::chrono::milliseconds allowed{0};        // length of the deadline, for extend()
  uint64_t log_before = 0;                     // size of the log when the helper was started
  bool seen_stopped = false;                   // stopped at the last check
  std::string stuck;                           // the reason for which it was killed
  id128 job;                                   // zero: idle
  std::chrono::steady_clock::time_point begun; // start of the job
  int64_t jobs = 0;
  caf::typed_response_promise<Outcome> promise;

  ~helper_owner_state() {
    abandon(promise, "the resource");
    if (!helper)
      return;
    if (outlasts_us()) {
      helper->leave();
      return;
    }
    if (job)
      helper->kill(); // nobody waits for it, and it must not run beside its successor
    helper->stop();
  }

  // Returns true for a long compile: its server finishes it, and the next compile server joins it there.
  bool outlasts_us() const {
    return std::is_same_v<Outcome, compile_outcome> && job
           && std::chrono::steady_clock::now() - begun >= outlasting_after && !helper->stopped();
  }
};

namespace helper_owner {

// Time beyond a job's own limit before the helper counts as stuck.
inline constexpr auto grace = std::chrono::seconds{20};
inline constexpr auto hello_limit = std::chrono::seconds{120};
inline constexpr auto offer_limit = std::chrono::seconds{10};
inline constexpr auto offer_again_after = std::chrono::milliseconds{200};
// The interval between checks of a helper that has work. It is stuck if it is stopped at two checks in a row: a machine
// under load is slow, but does not stop processes.
inline constexpr auto look_every = std::chrono::milliseconds{1'000};

template <class Self>
void arm(Self* self, std::chrono::milliseconds limit) {
  auto& st = self->state;
  st.allowed = limit;
  st.deadline = self->clock().now() + limit;
  st.seen_stopped = false;
  st.watched = true;
  // One tick serves all jobs: each tick that is sent or withdrawn wakes the clock's thread.
  if (!std::exchange(st.ticking, true))
    self->delayed_send(self, std::min(limit, look_every), atom::tick_v);
}

// Restarts the time limit.
template <class Self>
void extend(Self* self) {
  self->state.deadline = self->clock().now() + self->state.allowed;
}

template <class Self>
void start(Self* self) {
  auto& st = self->state;
  auto me = caf::actor_cast<caf::actor>(self);
  auto weak = caf::actor_cast<caf::weak_actor_ptr>(me);
  auto tell = [weak](auto&&... xs) {
    if (auto strong = caf::actor_cast<caf::strong_actor_ptr>(weak))
      caf::anon_send(caf::actor_cast<caf::actor>(strong), std::forward<decltype(xs)>(xs)...);
  };
  st.log_before = log_size(st.setup.options.log_path);
  auto helper = helper_process::start(
      *st.setup.io, st.setup.options, [tell](frame f) { tell(atom::answer_v, f.kind, std::move(f.payload)); },
      [tell](int status) { tell(atom::helper_end_v, static_cast<int32_t>(status)); });
  if (!helper) {
    self->quit(to_error(helper.error()));
    return;
  }
  st.helper = *helper;
  st.own_status->says("starting pid " + std::to_string(st.helper->pid()));
  arm(self, hello_limit);
}

// Offers the resource now if it is idle, else when the job has ended: nothing runs under two leases. An unfit resource
// is offered with the reason, so that everybody sees it.
template <class Self>
void offer(Self* self) {
  auto& st = self->state;
  st.offer_due = st.job || st.proving;
  if (st.offer_due || st.hello.kind.empty())
    return;
  st.epoch = 0;
  auto o = st.setup.offer;
  o.handle = caf::actor_cast<caf::actor>(self);
  o.unfit = st.unfit;
  self->request(st.setup.scheduler, offer_limit, atom::offer_v, std::move(o))
      .then(
          [self, unfit = st.unfit](uint64_t epoch) {
            auto& state = self->state;
            state.epoch = unfit.empty() ? epoch : 0;
            state.own_status->says(unfit.empty() ? actor_state::idle : unfit);
            auto instance = caf::actor_cast<caf::actor_addr>(self->current_sender());
            if (instance != state.scheduler_instance) {
              state.scheduler_instance = instance;
              self->monitor(instance);
            }
          },
          [self](caf::error&) { self->delayed_send(self, offer_again_after, atom::offer_v); });
}

// Offers the resource again when the scheduler has ended, because the next instance does not know it.
template <class Self>
void watch_scheduler(Self* self) {
  self->set_down_handler([self](caf::down_msg& m) {
    if (m.source == self->state.scheduler_instance)
      offer(self);
  });
}

// Drops the job of a lease whose holder has ended, and offers the resource again.
template <class Self>
void released(Self* self, const lease& l) {
  auto& st = self->state;
  if (l.epoch != st.epoch || st.epoch == 0)
    return;
  const bool stopping = st.setup.stopping && st.setup.stopping->load();
  if (st.job && !(stopping && st.outlasts_us()))
    st.helper->send(static_cast<uint8_t>(frame_kind::cancel), encode(helper_cancel{st.job}));
  offer(self);
}

// Sends a request to the helper, within the request's limit and `grace`.
template <class Self, class Request>
void put(Self* self, frame_kind kind, const Request& request) {
  self->state.helper->send(static_cast<uint8_t>(kind), encode(request));
  arm(self, std::chrono::milliseconds{whole_limit_ms(request)} + grace);
}

// Accepts a job under its lease; `begin()` passes it to the helper.
template <class Outcome, class Self, class Request, class Begin>
caf::result<Outcome> take(Self* self, const lease& l, const Request& request, Begin begin) {
  auto& st = self->state;
  if (st.epoch == 0 || l.epoch != st.epoch)
    return to_error({errc::conflict,
                     "lease of epoch " + std::to_string(l.epoch) + ", the resource is at " + std::to_string(st.epoch)});
  if (st.job)
    return to_error({errc::conflict, "the resource is busy with job " + short_string(st.job)});
  st.job = request.job;
  st.begun = std::chrono::steady_clock::now();
  st.promise = self->template make_response_promise<Outcome>();
  st.own_status->flight(1);
  st.own_status->says("job " + short_string(st.job));
  begin();
  return st.promise;
}

template <class Self>
void finish(Self* self) {
  auto& st = self->state;
  st.job = {};
  st.watched = false;
  ++st.jobs;
  st.own_status->flight(-1);
  st.own_status->says(actor_state::idle);
  if (st.offer_due)
    offer(self);
}

// The helper has ended: its job gets a fault, and this actor ends, too.
template <class Outcome, class Self>
void ended(Self* self, int32_t status) {
  auto& st = self->state;
  const auto by_signal = status & 0x7f;
  auto what =
      by_signal != 0 ? "signal " + std::to_string(by_signal) : "exit status " + std::to_string((status >> 8) & 0xff);
  if (!st.stuck.empty())
    what += " (" + st.stuck + ")";
  if (st.job) {
    Outcome o;
    o.job = st.job;
    o.trouble = {by_signal == SIGTERM ? fault_kind::helper_terminated : fault_kind::worker_killed,
                 st.setup.offer.resource_id + " ended with " + what, 0};
    st.promise.deliver(std::move(o));
    st.job = {};
    st.own_status->flight(-1);
  }
  st.helper.reset();
  auto why = st.setup.offer.resource_id + ": helper ended with " + what;
  if (st.hello.kind.empty() && st.stuck.empty()) {
    const auto& options = st.setup.options;
    const auto& program = options.argv.front();
    const auto said = last_line(options.log_path, st.log_before);
    why =
        program.substr(program.rfind('/') + 1) + std::string{ended_at_start} + what + (said.empty() ? "" : ": " + said);
  }
  self->quit(to_error({errc::unavailable, std::move(why)}));
}

// Handles a hello, after which it calls `ready()`, or a progress message. Returns false for other messages.
template <class Self, class Ready>
bool heard(Self* self, uint8_t kind, const std::string& payload, Ready ready) {
  auto& st = self->state;
  if (kind == static_cast<uint8_t>(frame_kind::hello)) {
    auto hello = decode<helper_hello>(payload);
    if (!hello || hello->protocol != 1) {
      self->quit(to_error({errc::protocol, "the helper does not speak protocol 1"}));
      return true;
    }
    st.hello = std::move(*hello);
    st.watched = false;
    ready();
    return true;
  }
  if (kind != static_cast<uint8_t>(frame_kind::progress))
    return false;
  auto progress = decode<helper_progress>(payload);
  if (!progress)
    return true;
  if (progress->waiting)
    extend(self);
  const auto awaited = progress->waiting ? progress->stage : std::string{};
  if (st.proving)
    st.own_status->awaits("proving itself: " + progress->stage, awaited);
  else if (st.job && progress->job == st.job)
    st.own_status->awaits("job " + short_string(st.job) + ": " + progress->stage, awaited);
  return true;
}

template <class Outcome, class Self>
void answered(Self* self, frame_kind outcome_kind, uint8_t kind, const std::string& payload) {
  auto& st = self->state;
  if (heard(self, kind, payload, [self] { offer(self); }))
    return;
  if (kind == static_cast<uint8_t>(outcome_kind)) {
    auto outcome = decode<Outcome>(payload);
    if (!outcome || !st.job || outcome->job != st.job) {
      log::warn("helper", "{}: an answer that belongs to no job", st.setup.offer.resource_id);
      return;
    }
    auto promise = std::exchange(st.promise, {});
    finish(self);
    promise.deliver(std::move(*outcome));
  }
}

// Checks the helper while a deadline applies.
template <class Self>
void look(Self* self) {
  auto& st = self->state;
  st.ticking = false;
  if (!st.watched || !st.helper)
    return;
  auto left = st.deadline - self->clock().now();
  auto stopped = st.helper->stopped();
  if (left > left.zero() && !(stopped && st.seen_stopped)) {
    st.seen_stopped = stopped;
    st.ticking = true;
    self->delayed_send(self, std::min<caf::timespan>(left, look_every), atom::tick_v);
    return;
  }
  st.watched = false;
  st.stuck = stopped ? "it was stopped and did not go on" : "it did not answer within its limit";
  log::warn("helper", "{}: {}: killing pid {}", st.setup.offer.resource_id, st.stuck, st.helper->pid());
  st.helper->kill(); // helper_end follows
}

// Returns the behaviour of the actor. `work` names its job message; `asked` and `answered_with` are the frames that
// carry it.
template <class Actor, class Outcome, class Request, class Work, class Self>
typename Actor::behavior_type behave(Self* self, actor_status_ptr own_status, helper_setup setup, const char* work,
                                     frame_kind asked, frame_kind answered_with) {
  self->state.own_status = std::move(own_status);
  self->state.setup = std::move(setup);
  report_exceptions(self);
  watch_scheduler(self);
  start(self);
  return {
      [self, work, asked](Work, const lease& l, const Request& request) -> caf::result<Outcome> {
        handling h{self, self->state.own_status, work};
        return take<Outcome>(self, l, request, [&] { put(self, asked, request); });
      },
      [self](atom::cancel, const id128& job) {
        handling h{self, self->state.own_status, "cancel"};
        if (self->state.job == job && self->state.helper)
          self->state.helper->send(static_cast<uint8_t>(frame_kind::cancel), encode(helper_cancel{job}));
      },
      [self](atom::release, const lease& l) {
        handling h{self, self->state.own_status, "release"};
        released(self, l);
      },
      [self](atom::offer) { offer(self); },
      [self, answered_with](atom::answer, uint8_t kind, const std::string& payload) {
        handling h{self, self->state.own_status, "answer"};
        answered<Outcome>(self, answered_with, kind, payload);
      },
      [self](atom::helper_end, int32_t status) {
        handling h{self, self->state.own_status, "helper_end"};
        ended<Outcome>(self, status);
      },
      [self](atom::tick) { look(self); },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace helper_owner

} // namespace kevolve
