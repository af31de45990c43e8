// A campaign pauses while the nodes with its devices cannot be asked, or none of them is there.
#include "actors/campaign/campaign_steps.hpp"
#include "actors/cluster/cluster_board.hpp"
#include "runtime/base/log.hpp"

namespace kevolve::campaign_steps {

void mind_cluster(pointer self) {
  auto& st = self->state;
  const auto& c = *st.context;
  const bool needs_others =
      c.cluster && !c.batch && (c.judged_elsewhere || (c.hardware && c.hardware->devices().empty()));
  std::string why;
  if (needs_others && !st.fold.ended) {
    why = c.cluster->away();
    if (why.empty() && c.hardware)
      why = c.cluster->nobody_judges(c.spec->target, c.hardware->harness_fingerprint(), st.fold.fixed.device);
  }
  if (!why.empty())
    why.insert(0, "other nodes have its devices, and ");
  const bool changed = why.empty() == st.pauses.holds(pause_reason::cluster);
  st.pauses.set(pause_reason::cluster, why);
  if (!changed)
    return;
  log::warn("campaign", "{}: {}", c.name,
            why.empty() ? "other nodes have its devices again, going on" : "paused: " + why);
  st.own_status->says(why.empty() ? to_string(st.phase()) : "paused: " + why);
  keep_time(self);
}

} // namespace kevolve::campaign_steps
