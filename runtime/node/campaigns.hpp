// The node's directory of campaigns. It records each submission and starts it under a supervisor of its own. If the
// number of places is limited, other campaigns wait: when one ends, the next by priority starts.
#pragma once

#include "runtime/node/campaign_parts.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace kevolve {

struct campaigns_state {
  static inline const char* name = "campaigns";

  struct entry {
    campaign_context_ptr context;
    caf::actor supervisor;
    std::string failure; // set when its supervisor gave up
    campaign_submission submission;
    uint64_t order = 0;   // order of arrival among waiting campaigns of one priority; once ended, order of ending
    bool waiting = false; // dormant until a place is free
    bool ended = false;
  };
  // The action once the former supervisor has ended: two instances of a campaign would overwrite each other's records.
  // A campaign released as ended may have been reopened at the same time and must run; the stored status decides. One
  // that another node has taken does not.
  enum class sequel : uint8_t { run, answer, rest, leave };
  struct successor {
    campaign_submission submission;
    sequel what = sequel::run; // run; if it has ended, only answer, or do nothing; whatever it is, do nothing
    bool placed = false;       // has a place already
    uint32_t priority = default_priority;
    bool looked_up = false; // its status has been requested
  };
  actor_status_ptr own_status;
  campaign_dependencies ground;
  std::map<id128, entry> running;
  std::map<id128, successor> ending;
  std::set<id128> going; // campaigns that are being forgotten
  uint64_t last_order = 0;
};

campaigns_actor::behavior_type campaigns(campaigns_actor::stateful_pointer<campaigns_state> self,
                                         actor_status_ptr own_status, campaign_dependencies ground, bool resume_all);

} // namespace kevolve
