// The actors that make up one campaign.
#pragma once

#include "actors/campaign/campaign_context.hpp"
#include "runtime/node/supervisor.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace kevolve {

// What every campaign of a node is built from.
struct campaign_dependencies {
  id128 node;
  uint64_t epoch = 0;
  std::shared_ptr<card_table> cards;
  journal_actor journal;
  scheduler_actor scheduler;
  relay_actor relay;
  models_actor models; // null without providers
  std::shared_ptr<const model_board> board;
  std::map<std::string, std::shared_ptr<const target>> targets;
  // Campaigns started in this session and the supervisor of each, so that a restarted directory takes them up
  // when what was there before has ended. Its alone.
  std::shared_ptr<std::map<id128, caf::actor_addr>> started = std::make_shared<std::map<id128, caf::actor_addr>>();
  uint64_t places = 0;           // campaigns that may run at once; 0: any number
  std::set<std::string> batch{}; // targets of which no device can be reached: their evaluations travel as files
  std::shared_ptr<pinned_results> held = std::make_shared<pinned_results>();
  caf::actor retention{};     // hears (atom::tick) when a campaign has ended; null: all are kept
  bool evaluate_only = false; // campaigns came as such a file: what has a candidate is judged, and no more is made
};

// A campaign's fronts and the children that stand behind them, ready to be supervised.
struct campaign_parts {
  campaign_context_ptr context;
  std::vector<child_spec> children;
};
enum class actors_wanted : uint8_t {
  whole = 0,
  dormant,   // the campaign's own actor alone: it waits for a place, or has ended and is asked once more
  judge_only // the evaluator, for a single candidate
};
// errc::unsupported names what the campaign needs and this node lacks: its target, a provider.
result<void> may_run(const campaign_submission& submission, const campaign_dependencies& ground);

// `directory`: hears of the campaign's end.
result<campaign_parts> assemble_campaign(caf::actor_system& system, const campaign_dependencies& ground,
                                         const id128& id, const campaign_submission& submission, uint64_t parent,
                                         actors_wanted extent, caf::actor_addr directory = {});

} // namespace kevolve
