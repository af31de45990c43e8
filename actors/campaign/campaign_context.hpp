// The state that a campaign's actors share: fixed for a session, the same for every instance of an actor.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/campaign/pinned_results.hpp"
#include "actors/interfaces.hpp"
#include "actors/knowledge/skill_board.hpp"
#include "actors/models/model_board.hpp"
#include "backends/target.hpp"
#include "config/campaign.hpp"

#include <caf/actor_addr.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kevolve::knowledge {
class knowledge_base;
class code_roots;
} // namespace kevolve::knowledge

namespace kevolve {

class cluster_board;
struct profiling_place;

struct campaign_context {
  id128 id;
  id128 node;         // this machine's node
  uint64_t epoch = 0; // of this session
  std::string name;
  std::shared_ptr<const campaign_spec> spec;
  std::shared_ptr<const target> hardware;
  std::shared_ptr<actor_status_table> statuses;
  // The handles point to the proxies of supervised actors.
  journal_actor journal;
  scheduler_actor scheduler;
  campaign_actor campaign;
  evaluator_actor evaluator;
  synthesizer_actor synthesizer;
  std::vector<generator_actor> generators;                    // proxies, in the order of the campaign's list
  std::shared_ptr<const model_board> board;                   // of the node's providers
  std::shared_ptr<const knowledge::knowledge_base> knowledge; // of the node; null: prompts quote no documents
  std::shared_ptr<const knowledge::code_roots> code;          // of the node; null: nothing may be searched
  skill_book_actor skills;                                    // of the node; null: nothing is learnt
  std::shared_ptr<const skill_board> skills_now;              // null: no step is given skills
  std::shared_ptr<pinned_results> held = std::make_shared<pinned_results>(); // of the node
  // The current priority: the campaign changes it, and every actor that asks for a lease reads it.
  std::shared_ptr<std::atomic<uint32_t>> priority = std::make_shared<std::atomic<uint32_t>>(default_priority);
  // The campaign waits for its turn to run, or has ended: only its own actor exists.
  bool dormant = false;
  // No device of its target can be reached from here: candidates wait for a batch to be judged (runtime/node/batch).
  bool batch = false;
  // The campaign came as a batch: existing candidates are judged, nothing is selected and nothing proposed.
  bool evaluate_only = false;
  std::shared_ptr<const profiling_place> profiling; // null: campaigns of this node are not profiled
  std::shared_ptr<const cluster_board> cluster;     // what other nodes offer; null: this node works alone
  caf::actor shared_results;     // answers (atom::lookup, key) with results of other nodes; null: there are none
  bool judged_elsewhere = false; // devices of this node are not used for it
  caf::actor_addr directory;     // the campaigns actor; hears when the campaign ends or wants to run again
};

using campaign_context_ptr = std::shared_ptr<const campaign_context>;

// Returns the fixed part of every synthesis step.
synthesis_context fixed_context(const campaign_context& c);

} // namespace kevolve
