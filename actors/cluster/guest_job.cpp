#include "actors/cluster/guest_job.hpp"
#include "actors/cluster/capacity.hpp"

#include "actors/messages/promises.hpp"
#include "actors/messages/resource_kinds.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/fault_kinds.hpp"

#include <caf/actor_cast.hpp>

#include <charconv>

namespace kevolve {

namespace {

using pointer = caf::stateful_actor<guest_job_state>*;

void report(pointer self, std::string result, std::string failure, bool blamed = true) {
  auto& st = self->state;
  self->send(st.setup.link, atom::finished_v, guest_end{st.setup.token, std::move(result), std::move(failure), blamed});
  self->quit();
}

// Reports the outcome. Where it is a fault of this node's own, as against a verdict, another node tries it.
template <class Outcome>
void ended(pointer self, const Outcome& o) {
  if (o.trouble && o.trouble.kind != fault_kind::baseline_failed)
    report(self, {}, o.trouble.kind + ": " + o.trouble.detail, o.trouble.kind != fault_kind::helper_terminated);
  else
    report(self, encode(o), {});
}

lease_request wanted_of(pointer self, const char* resource) {
  auto& st = self->state;
  lease_request wanted;
  wanted.resource = resource;
  wanted.capabilities = {"target:" + st.setup.target, on_this_node};
  if (!st.setup.device.empty())
    wanted.capabilities.push_back("hardware:" + st.setup.device);
  wanted.campaign = st.setup.campaign;
  st.own_status->says("waits for a " + wanted.resource);
  return wanted;
}

template <class Resource, class Outcome, class Work, class Request>
void run_leased_once(pointer self, const char* resource, Work work, Request request) {
  self->request(self->state.setup.scheduler, until_answered, atom::acquire_v, wanted_of(self, resource))
      .then(
          [self, work, request](lease& l) {
            auto& state = self->state;
            state.resource = l.resource;
            state.own_status->says("runs on " + l.resource_id);
            self->request(caf::actor_cast<Resource>(l.resource), until_answered, work, l, request)
                .then(
                    [self, l](Outcome& o) {
                      self->send(self->state.setup.scheduler, atom::release_v, l);
                      ended(self, o);
                    },
                    [self, l](caf::error& e) {
                      self->send(self->state.setup.scheduler, atom::release_v, l);
                      report(self, {}, to_string(to_failure(e)));
                    });
          },
          [self](caf::error& e) { report(self, {}, to_string(to_failure(e))); });
}

void run_profile(pointer self) {
  self->request(self->state.setup.scheduler, until_answered, atom::acquire_v, wanted_of(self, resource_kind::device))
      .then(
          [self](lease& l) {
            auto& st = self->state;
            st.own_status->says("profiles on " + l.resource_id);
            const auto given_up = [dropped = st.setup.dropped] { return dropped && dropped->load(); };
            auto answer = st.setup.profiler(*st.setup.profile, l.resource_id, given_up);
            self->send(st.setup.scheduler, atom::release_v, l);
            report(self, answer ? encode(*answer) : std::string{}, answer ? std::string{} : to_string(answer.error()));
          },
          [self](caf::error& e) { report(self, {}, to_string(to_failure(e))); });
}

void begin(pointer self) {
  auto& setup = self->state.setup;
  if (setup.compile)
    run_leased_once<compiler_worker_actor, compile_outcome>(self, resource_kind::compiler, atom::compile_v,
                                                            *setup.compile);
  else if (setup.judge)
    run_leased_once<device_actor, judge_outcome>(self, resource_kind::device, atom::judge_v, *setup.judge);
  else if (setup.profile)
    run_profile(self);
  else if (setup.model)
    self->request(setup.provider, until_answered, atom::ask_v, *setup.model)
        .then([self](provider_end& end) { report(self, encode(end), {}); },
              [self](caf::error& e) { report(self, {}, to_string(to_failure(e))); });
  else { // a job of kind wait
    uint32_t milliseconds = 0;
    const auto& text = setup.payload;
    std::from_chars(text.data(), text.data() + text.size(), milliseconds);
    self->delayed_send(self, std::chrono::milliseconds{milliseconds}, atom::tick_v);
  }
}

} // namespace

caf::behavior guest_job(pointer self, actor_status_ptr own_status, guest_job_setup setup) {
  self->state.own_status = std::move(own_status);
  self->state.setup = std::move(setup);
  report_exceptions(self);
  begin(self);
  return {
      [self](atom::tick) { report(self, self->state.setup.payload, {}); },
      [self](atom::cancel) {
        auto& st = self->state;
        const auto job = st.setup.compile ? st.setup.compile->job : st.setup.judge ? st.setup.judge->job : id128{};
        if (st.resource && job)
          self->send(st.resource, atom::cancel_v, job);
        self->quit();
      },
  };
}

} // namespace kevolve
