// Runs one job on a resource under a lease: waits for the resource, sends the job, returns the lease. A fault is
// retried a limited number of times on any free resource. Verdicts, and faults that only a person can correct, are
// never retried.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/interfaces.hpp"
#include "actors/messages/promises.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/log.hpp"

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace kevolve {

inline constexpr uint32_t job_attempts = 4;
// Pause before the next attempt, while the failed part restarts.
inline constexpr auto attempt_again_after = std::chrono::milliseconds{250};

template <class Outcome>
using job_done = std::function<void(Outcome)>;

namespace detail {

struct delay_state {
  static inline const char* name = "delay";
  actor_status_ptr own_status;
  caf::typed_response_promise<bool> promise;
};
// Answers once after a pause, because the framework has no delayed call.
inline caf::behavior delay(caf::stateful_actor<delay_state>* self, actor_status_ptr own_status) {
  self->state.own_status = std::move(own_status);
  self->state.own_status->says("waiting to try again");
  return {
      [self](atom::begin) -> caf::result<bool> {
        self->state.promise = self->make_response_promise<bool>();
        self->delayed_send(self, attempt_again_after, atom::tick_v);
        return self->state.promise;
      },
      [self](atom::tick) {
        self->state.promise.deliver(true);
        self->quit();
      },
  };
}

template <class Resource, class Outcome, class Self, class Atom, class Request>
struct leased_job : std::enable_shared_from_this<leased_job<Resource, Outcome, Self, Atom, Request>> {
  Self* self;
  scheduler_actor scheduler;
  lease_request wanted;
  Request request;
  job_done<Outcome> done;
  uint32_t attempt = 0;

  void acquire() {
    auto job = this->shared_from_this();
    self->request(scheduler, until_answered, atom::acquire_v, wanted)
        .then([job](lease& l) { job->run(std::move(l)); },
              [job](caf::error& e) { job->failed({"lease", to_string(to_failure(e)), job->attempt}); });
  }

  void run(lease l) {
    auto job = this->shared_from_this();
    auto resource = caf::actor_cast<Resource>(l.resource);
    // The resource enforces the job's time limit.
    self->request(resource, until_answered, Atom{}, l, request)
        .then(
            [job, l](Outcome& o) {
              job->self->send(job->scheduler, atom::release_v, l);
              if (o.trouble && o.trouble.kind != fault_kind::baseline_failed) // a baseline would fail again
                job->failed(std::move(o.trouble));
              else
                job->done(std::move(o));
            },
            [job, l](caf::error& e) {
              job->self->send(job->scheduler, atom::release_v, l);
              job->failed({fault_kind::worker_killed, l.resource_id + ": " + to_string(to_failure(e)), job->attempt});
            });
  }

  void failed(fault f) {
    const bool stays = fault_kind::needs_a_person(f.kind);
    if (f.kind == fault_kind::resource_gone || (++attempt < job_attempts && !stays)) {
      log::scope about{self->state.own_status->ids()};
      log::warn("job", "attempt {} of {}: {}: {}", attempt, job_attempts, f.kind, f.detail);
      auto job = this->shared_from_this();
      auto pause = spawn_tracked(*self, self->state.own_status->table(), "delay", to_string(request.job),
                                 self->state.own_status->id(), delay);
      self->request(pause, std::chrono::minutes{1}, atom::begin_v)
          .then([job](bool) { job->acquire(); }, [job](caf::error&) { job->acquire(); });
      return;
    }
    Outcome o;
    o.job = request.job;
    f.retried = attempt - 1;
    o.trouble = std::move(f);
    done(std::move(o));
  }
};

} // namespace detail

// `done` runs in the actor's context with the outcome or, in `trouble`, the last fault.
template <class Resource, class Outcome, class Self, class Atom, class Request>
void run_leased(Self* self, const scheduler_actor& scheduler, lease_request wanted, Atom, Request request,
                job_done<Outcome> done) {
  auto job = std::make_shared<detail::leased_job<Resource, Outcome, Self, Atom, Request>>();
  job->self = self;
  job->scheduler = scheduler;
  job->wanted = std::move(wanted);
  job->request = std::move(request);
  job->done = std::move(done);
  job->acquire();
}

} // namespace kevolve
