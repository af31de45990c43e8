// The node's directory of campaigns: records what is submitted, starts each under a supervisor of its own.
#pragma once

#include "actors/campaign_context.hpp"
#include "runtime/node/supervisor.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kevolve {

// What every campaign of a node is built from.
struct node_ground {
  id128 node;
  uint64_t epoch = 0;
  std::shared_ptr<card_table> cards;
  journal_actor journal;
  scheduler_actor scheduler;
  std::map<std::string, std::shared_ptr<const target>> targets;
  // Campaigns started in this session and the supervisor of each, so that a restarted directory takes them up
  // when what was there before has ended. Its alone.
  std::shared_ptr<std::map<id128, caf::actor_addr>> started = std::make_shared<std::map<id128, caf::actor_addr>>();
};

// A campaign's fronts and the children that stand behind them, ready to be supervised.
struct campaign_parts {
  campaign_context_ptr context;
  std::vector<child_spec> children;
};
// `with_campaign` false: only the evaluator, for judging a single candidate.
result<campaign_parts> assemble_campaign(caf::actor_system& system, const node_ground& ground, const id128& id,
                                         const campaign_submission& submission, uint64_t parent, bool with_campaign);

struct campaigns_state {
  static inline const char* name = "campaigns";

  struct entry {
    campaign_context_ptr context;
    caf::actor supervisor;
    std::string failure; // its supervisor gave up
  };
  card_ptr card;
  node_ground ground;
  std::map<id128, entry> running;
  std::map<id128, campaign_submission> ending; // started again once their former supervisor is gone
};

campaigns_actor::behavior_type campaigns(campaigns_actor::stateful_pointer<campaigns_state> self, card_ptr card,
                                         node_ground ground, bool resume_all);

} // namespace kevolve
