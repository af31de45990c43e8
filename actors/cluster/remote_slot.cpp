#include "actors/cluster/remote_slot.hpp"

#include "actors/actor_states.hpp"
#include "actors/cluster/job_blobs.hpp"
#include "actors/devices/leased_job.hpp"
#include "actors/messages/promises.hpp"
#include "backends/judge/memory_need.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/fault_kinds.hpp"

#include <caf/actor_cast.hpp>

#include <type_traits>
#include <utility>

namespace kevolve {

namespace {

constexpr auto offer_limit = std::chrono::seconds{10};
constexpr auto offer_again_after = std::chrono::milliseconds{200};

template <class Self>
void offer(Self* self) {
  auto& st = self->state;
  st.offer_due = static_cast<bool>(st.job);
  if (st.offer_due)
    return;
  if (st.withdrawn) {
    self->quit();
    return;
  }
  st.epoch = 0;
  auto o = st.setup.offer;
  o.handle = caf::actor_cast<caf::actor>(self);
  self->request(st.setup.scheduler, offer_limit, atom::offer_v, std::move(o))
      .then(
          [self](uint64_t epoch) {
            auto& state = self->state;
            state.epoch = epoch;
            auto instance = caf::actor_cast<caf::actor_addr>(self->current_sender());
            if (instance != state.scheduler_instance) {
              state.scheduler_instance = instance;
              self->monitor(instance);
            }
          },
          [self](caf::error&) { self->delayed_send(self, offer_again_after, atom::offer_v); });
}

template <class Outcome, class Self>
void finish(Self* self, Outcome o) {
  auto& st = self->state;
  if (!st.job)
    return;
  o.job = std::exchange(st.job, id128{});
  st.own_status->flight(-1);
  st.own_status->says(actor_state::idle);
  auto promise = std::exchange(st.promise, {});
  promise.deliver(std::move(o));
  if (st.offer_due || st.withdrawn)
    offer(self);
}

template <class Outcome>
Outcome fault_of(const char* kind, std::string detail) {
  Outcome o;
  o.trouble = {kind, std::move(detail), 0};
  return o;
}

template <class Outcome, class Self, class Request>
caf::result<Outcome> take(Self* self, const lease& l, const Request& request) {
  auto& st = self->state;
  if (st.epoch == 0 || l.epoch != st.epoch || st.job)
    return to_error({errc::conflict, "the slot is busy, or was offered anew"});
  st.job = request.job;
  st.promise = self->template make_response_promise<Outcome>();
  st.own_status->flight(1);
  st.own_status->says("job " + short_string(st.job));
  auto body = request;
  cluster_job j;
  j.key = request.job;
  j.campaign = l.campaign;
  j.weight = l.weight;
  j.kind = st.setup.what.kind;
  j.target = st.setup.what.target;
  j.hardware = st.setup.what.hardware;
  if constexpr (std::is_same_v<Request, judge_request>)
    j.memory_mib = mebibytes_to_judge(request.task);
  j.blobs = detach_blobs(body);
  j.payload = encode(body);
  self->request(st.setup.cluster, until_answered, atom::submit_v, std::move(j))
      .then(
          [self](cluster_result& r) {
            if (r.away) {
              finish(self, fault_of<Outcome>(fault_kind::resource_gone, r.failure));
              return;
            }
            auto o =
                r.failure.empty() ? decode<Outcome>(r.result) : tl::unexpected(failure{errc::unavailable, r.failure});
            finish(self, o ? std::move(*o)
                           : fault_of<Outcome>(fault_kind::worker_killed, r.node + ": " + to_string(o.error())));
          },
          [self](caf::error& e) {
            finish(self, fault_of<Outcome>(fault_kind::worker_killed, "the cluster: " + to_string(to_failure(e))));
          });
  return st.promise;
}

template <class Actor, class Outcome, class Request, class Work, class Self>
typename Actor::behavior_type behave(Self* self, actor_status_ptr own_status, remote_slot_setup setup,
                                     const char* work) {
  self->state.own_status = std::move(own_status);
  self->state.setup = std::move(setup);
  report_exceptions(self);
  self->set_down_handler([self](caf::down_msg& m) {
    if (m.source == self->state.scheduler_instance)
      offer(self);
    else
      self->quit(); // the link has ended; the next one makes slots of its own
  });
  offer(self);
  auto run = [self, work](Work, const lease& l, const Request& request) -> caf::result<Outcome> {
    handling h{self, self->state.own_status, work};
    return take<Outcome>(self, l, request);
  };
  auto cancel = [self](atom::cancel, const id128& job) {
    if (self->state.job == job)
      self->send(self->state.setup.cluster, atom::cancel_v, job);
  };
  auto release = [self](atom::release, const lease& l) {
    handling h{self, self->state.own_status, "release"};
    auto& st = self->state;
    if (l.epoch != st.epoch || st.epoch == 0)
      return;
    if (st.job)
      self->send(st.setup.cluster, atom::cancel_v, st.job);
    offer(self);
  };
  auto offer_again = [self](atom::offer) { offer(self); };
  auto answer = [](atom::answer, uint8_t, const std::string&) {};
  auto withdraw = [self](atom::helper_end, int32_t) { // from the link: the other node's slot is gone
    self->state.withdrawn = true;
    if (!self->state.job)
      self->quit();
  };
  auto tick = [](atom::tick) {};
  auto crash = [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); };
  if constexpr (std::is_same_v<Actor, device_actor>)
    return {run, cancel, release, offer_again, answer, withdraw, tick, [](atom::probe) {}, crash};
  else
    return {run, cancel, release, offer_again, answer, withdraw, tick, crash};
}

} // namespace

template <class Outcome>
remote_slot_state<Outcome>::~remote_slot_state() {
  abandon(promise, "the slot of another node");
}
template struct remote_slot_state<compile_outcome>;
template struct remote_slot_state<judge_outcome>;

compiler_worker_actor::behavior_type
remote_compiler(compiler_worker_actor::stateful_pointer<remote_slot_state<compile_outcome>> self,
                actor_status_ptr own_status, remote_slot_setup setup) {
  return behave<compiler_worker_actor, compile_outcome, compile_request, atom::compile>(self, std::move(own_status),
                                                                                        std::move(setup), "compile");
}

device_actor::behavior_type remote_device(device_actor::stateful_pointer<remote_slot_state<judge_outcome>> self,
                                          actor_status_ptr own_status, remote_slot_setup setup) {
  return behave<device_actor, judge_outcome, judge_request, atom::judge>(self, std::move(own_status), std::move(setup),
                                                                         "judge");
}

} // namespace kevolve
