#include "actors/evaluation/candidate_profiler.hpp"

#include "actors/cluster/capacity.hpp"
#include "actors/cluster/cluster_messages.hpp"
#include "actors/evaluation/diagnosis.hpp"
#include "actors/evaluation/profile_run.hpp"
#include "actors/messages/promises.hpp"
#include "actors/messages/resource_kinds.hpp"
#include "runtime/base/cluster_words.hpp"
#include "runtime/base/codec.hpp"

#include <caf/actor_cast.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace kevolve {

namespace {

using nlohmann::json;
using pointer = caf::stateful_actor<candidate_profiler_state>*;

// Time for the queue and for the other node's wait for its device.
constexpr auto elsewhere_grace = std::chrono::minutes{5};

void tell(pointer self, profiling_record r) {
  r.index = self->state.index;
  self->send(self->state.context->campaign, atom::profiled_v, std::move(r));
  self->quit();
}

profile_order order_of(const candidate_profiler_state& st) {
  profile_order order;
  order.campaign = st.context->id;
  order.index = st.index;
  order.budget_s = st.context->spec->profile.budget_s;
  order.limit_s = st.limit_s;
  return order;
}

void tell_made(pointer self, const result<profile_record>& made) {
  const auto& st = self->state;
  profiling_record out;
  if (!made)
    out.failure = to_string(made.error());
  else {
    const auto text = st.context->profiling->data.blob(made->diagnosis);
    out = summary_of(text && *text ? json::parse(**text, nullptr, false) : json(nullptr));
    out.diagnosis = made->diagnosis;
    for (const auto& p : made->passes)
      out.perturbation = std::max(out.perturbation, p.perturbation);
  }
  out.seconds = std::chrono::duration<double>{std::chrono::steady_clock::now() - st.begun}.count();
  tell(self, std::move(out));
}

void profile_here(pointer self) {
  const auto& c = *self->state.context;
  lease_request wanted{resource_kind::device, {"target:" + c.spec->target}, c.id, 1, c.priority->load()};
  if (c.cluster)
    wanted.capabilities.emplace_back(on_this_node);
  self->state.own_status->says("waits for the device");
  self->request(c.scheduler, until_answered, atom::acquire_v, std::move(wanted))
      .then(
          [self](lease& l) {
            auto& st = self->state;
            st.own_status->says("profiling candidate " + std::to_string(st.index));
            st.begun = std::chrono::steady_clock::now();
            const auto made = profile_candidate(*st.context->profiling, order_of(st), [](const std::string&) {});
            self->send(st.context->scheduler, atom::release_v, l);
            tell_made(self, made);
          },
          [self](caf::error& e) {
            tell_made(self, fail(errc::unavailable, "no device: " + to_string(to_failure(e))));
          });
}

// Has the passes run on a node with the device that the campaign's figures come from.
void profile_elsewhere(pointer self) {
  auto& st = self->state;
  const auto& c = *st.context;
  st.begun = std::chrono::steady_clock::now();
  const auto steps = begin_profile(*c.profiling, order_of(st));
  if (!steps) {
    tell_made(self, tl::unexpected(steps.error()));
    return;
  }
  if (job_of(**steps).passes.empty()) {
    tell_made(self, end_profile(*c.profiling, **steps, {}));
    return;
  }
  cluster_job j;
  j.payload = encode(job_of(**steps));
  j.key = derive_id("profile job", j.payload);
  j.campaign = c.id;
  j.weight = c.priority->load();
  j.kind = job_kind::profile;
  j.priority = -1; // no candidate of any campaign waits for it
  j.target = c.spec->target;
  j.hardware = wanted_hardware(**steps);
  st.own_status->says("candidate " + std::to_string(st.index) + " is profiled on another node");
  const auto link = caf::actor_cast<cluster_actor>(c.shared_results);
  const auto limit = std::chrono::milliseconds{job_of(**steps).limit_ms} + elsewhere_grace;
  self->request(link, limit, atom::submit_v, j)
      .then(
          [self, steps = *steps](cluster_result& r) {
            auto answer = r.failure.empty() ? decode<profiler_answer>(r.result)
                                            : tl::unexpected(failure{errc::unavailable, r.failure});
            if (answer)
              tell_made(self, end_profile(*self->state.context->profiling, *steps, std::move(*answer)));
            else
              tell_made(self, tl::unexpected(answer.error()));
          },
          [self, link, key = j.key](caf::error& e) {
            self->send(link, atom::cancel_v, key);
            tell_made(self, fail(errc::unavailable, "no node made the profile: " + to_string(to_failure(e))));
          });
}

void begin(pointer self) {
  const auto& c = *self->state.context;
  const bool device_here = !c.judged_elsewhere && c.hardware && !c.hardware->devices().empty();
  if (device_here || !c.shared_results)
    profile_here(self);
  else
    profile_elsewhere(self);
}

} // namespace

caf::behavior candidate_profiler(pointer self, actor_status_ptr own_status, campaign_context_ptr context,
                                 uint64_t index, double limit_s) {
  self->state.limit_s = limit_s;
  self->state.own_status = std::move(own_status);
  self->state.context = std::move(context);
  self->state.index = index;
  self->state.own_status->about(short_string(self->state.context->id), std::to_string(index));
  report_exceptions(self);
  return {[self](atom::begin) {
    handling h{self, self->state.own_status, "begin"};
    begin(self);
  }};
}

} // namespace kevolve
