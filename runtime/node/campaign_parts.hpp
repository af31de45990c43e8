// The actors that make up one campaign.
#pragma once

#include "actors/campaign_context.hpp"
#include "runtime/node/supervisor.hpp"

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

} // namespace kevolve
