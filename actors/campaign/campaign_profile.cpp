// Profiles of the campaign's own candidates: begun beside the search, folded when they are stored.
#include "actors/campaign/campaign_steps.hpp"
#include "actors/campaign/profile_choice.hpp"
#include "actors/evaluation/candidate_profiler.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

namespace kevolve::campaign_steps {

void profile_next(pointer self) {
  auto& st = self->state;
  const auto& c = *st.context;
  if (!c.profiling || c.batch || c.evaluate_only || st.profiled_now || st.phase() != campaign_phase::running
      || st.pauses.holds(pause_reason::storage) || st.pauses.holds(pause_reason::cluster) || is_away(st))
    return;
  const auto index = next_profile(st.fold, *c.spec, wall_seconds(st));
  if (!index)
    return;
  st.profiled_now = true;
  profiling_record r;
  r.index = *index;
  const auto limit_s = profile_allowance(st.fold, *c.spec, wall_seconds(st));
  fold_profile_begun(st.fold, r);
  push(self, event_kind::profile_begun, encode(r), {}, [self, index = *index, limit_s] {
    const auto& state = self->state;
    auto who = spawn_tracked<caf::detached>(
        *self, state.context->statuses, "profiler", short_string(state.context->id) + "/" + std::to_string(index),
        static_cast<uint64_t>(self->id()), candidate_profiler, state.context, index, limit_s);
    caf::anon_send(caf::actor_cast<caf::actor>(who), atom::begin_v);
  });
}

void profile_ended(pointer self, const profiling_record& r) {
  auto& st = self->state;
  st.profiled_now = false;
  if (st.fold.ended || st.fold.profiles.contains(r.index) || r.index >= st.fold.tree.size())
    return;
  if (r.failure.empty())
    log::info("campaign", "{}: candidate {} is bound by {}, profiled in {:.1f} s", st.context->name, r.index,
              r.bound.empty() ? "nothing that was found" : r.bound, r.seconds);
  else
    log::warn("campaign", "{}: candidate {} could not be profiled: {}", st.context->name, r.index, r.failure);
  fold_profiled(st.fold, r);
  push(self, event_kind::candidate_profiled, encode(r), {status_value(st)}, [self] { pump(self); });
}

} // namespace kevolve::campaign_steps
