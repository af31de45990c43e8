// The actors that make up one campaign.
#pragma once

#include "actors/campaign/campaign_context.hpp"
#include "runtime/node/campaign_homes.hpp"
#include "runtime/node/supervisor.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace kevolve::knowledge {
class document_shelf;
} // namespace kevolve::knowledge

namespace kevolve {

// The parts of a node from which every campaign is built.
struct campaign_dependencies {
  id128 node;
  uint64_t epoch = 0;
  std::shared_ptr<actor_status_table> statuses;
  journal_actor journal;
  scheduler_actor scheduler;
  relay_actor relay;
  models_actor models; // null without providers
  std::shared_ptr<const model_board> board;
  std::map<std::string, std::shared_ptr<const target>> targets;
  // The campaigns started in this session, with the supervisor of each. A restarted directory continues them once the
  // earlier supervisors have ended. Only the directory uses it.
  std::shared_ptr<std::map<id128, caf::actor_addr>> started = std::make_shared<std::map<id128, caf::actor_addr>>();
  uint64_t places = 0;           // campaigns that may run at once; 0: no limit
  std::set<std::string> batch{}; // targets without a reachable device: their evaluations are exported as files
  std::shared_ptr<pinned_results> held = std::make_shared<pinned_results>();
  caf::actor retention{}; // gets (atom::tick) when a campaign has ended; null: all campaigns are kept
  std::shared_ptr<const knowledge::document_shelf> documents{}; // a campaign has those of its start
  std::shared_ptr<const knowledge::code_roots> code{};
  skill_book_actor skills{}; // null: nothing is learnt
  std::shared_ptr<const skill_board> skills_now{};
  std::shared_ptr<const profiling_place> profiling{}; // null: campaigns profile nothing
  std::shared_ptr<const cluster_board> cluster{};     // null: this node works alone
  std::shared_ptr<const campaign_homes> homes{};      // null: campaigns are kept on this node alone
  caf::actor shared_results{};                        // the link to the cluster
  std::set<std::string> elsewhere{};                  // targets whose devices other nodes have
  bool is_worker = false;                             // of a cluster: it runs no campaigns
  bool evaluate_only = false; // campaigns came from batch files: existing candidates are judged and no new ones are
                              // made
};

// A campaign's proxies and the children behind them, ready to be supervised.
struct campaign_parts {
  campaign_context_ptr context;
  std::vector<child_spec> children;
};
enum class actors_wanted : uint8_t {
  whole = 0,
  dormant,   // only the campaign's own actor: it waits for a place, or has ended and is asked again
  judge_only // only the evaluator, for a single candidate
};
// Checks that this node can run the campaign. errc::unsupported names a missing target or provider.
result<void> may_run(const campaign_submission& submission, const campaign_dependencies& ground);

// Assembles the actors that `extent` names. `directory` is told when the campaign ends.
result<campaign_parts> assemble_campaign(caf::actor_system& system, const campaign_dependencies& ground,
                                         const id128& id, const campaign_submission& submission, uint64_t parent,
                                         actors_wanted extent, caf::actor_addr directory = {});

} // namespace kevolve
