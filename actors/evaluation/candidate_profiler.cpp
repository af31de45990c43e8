#include "actors/evaluation/candidate_profiler.hpp"

#include "actors/evaluation/diagnosis.hpp"
#include "actors/evaluation/profile_run.hpp"
#include "actors/messages/promises.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace kevolve {

namespace {

using nlohmann::json;
using pointer = caf::stateful_actor<candidate_profiler_state>*;

void tell(pointer self, profiling_record r) {
  r.index = self->state.index;
  self->send(self->state.context->campaign, atom::profiled_v, std::move(r));
  self->quit();
}

profiling_record profiled(const campaign_context& c, uint64_t index, double limit_s) {
  const auto begun = std::chrono::steady_clock::now();
  profile_order order;
  order.campaign = c.id;
  order.index = index;
  order.budget_s = c.spec->profile.budget_s;
  order.limit_s = limit_s;
  profiling_record out;
  const auto made = profile_candidate(*c.profiling, order, [](const std::string&) {});
  if (!made)
    out.failure = to_string(made.error());
  else {
    const auto text = c.profiling->data.blob(made->diagnosis);
    out = summary_of(text && *text ? json::parse(**text, nullptr, false) : json(nullptr));
    out.diagnosis = made->diagnosis;
    for (const auto& p : made->passes)
      out.perturbation = std::max(out.perturbation, p.perturbation);
  }
  out.seconds = std::chrono::duration<double>{std::chrono::steady_clock::now() - begun}.count();
  return out;
}

void begin(pointer self) {
  const auto& c = *self->state.context;
  self->state.own_status->says("waits for the device");
  self->request(c.scheduler, until_answered, atom::acquire_v,
                lease_request{"device", {"target:" + c.spec->target}, c.id, 1, c.priority->load()})
      .then(
          [self](lease& l) {
            const auto& st = self->state;
            st.own_status->says("profiling candidate " + std::to_string(st.index));
            auto r = profiled(*st.context, st.index, st.limit_s);
            self->send(st.context->scheduler, atom::release_v, l);
            tell(self, std::move(r));
          },
          [self](caf::error& e) {
            profiling_record r;
            r.failure = "no device: " + to_string(to_failure(e));
            tell(self, std::move(r));
          });
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
