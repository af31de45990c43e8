// The node's directory of campaigns: records what is submitted, starts each under a supervisor of its own. If the
// node has places for so many, the others wait: the next by priority starts when one ends.
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
    std::string failure; // its supervisor gave up
    campaign_submission submission;
    uint64_t order = 0;   // among those that wait with one priority; once ended, among those
    bool waiting = false; // dormant, for a place
    bool ended = false;
  };
  // What follows once its former supervisor is gone: two instances of a campaign would write over each other. One that
  // was let go as ended may have been reopened just then, and runs all the same: what is stored decides.
  enum class sequel : uint8_t { run, answer, rest };
  struct successor {
    campaign_submission submission;
    sequel what = sequel::run; // or, if it has ended, to be only asked, or nothing
    bool placed = false;       // has a place already
    uint32_t priority = default_priority;
    bool looked_up = false; // its status is on the way
  };
  card_ptr card;
  campaign_dependencies ground;
  std::map<id128, entry> running;
  std::map<id128, successor> ending;
  std::set<id128> going; // are being forgotten
  uint64_t last_order = 0;
};

campaigns_actor::behavior_type campaigns(campaigns_actor::stateful_pointer<campaigns_state> self, card_ptr card,
                                         campaign_dependencies ground, bool resume_all);

} // namespace kevolve
