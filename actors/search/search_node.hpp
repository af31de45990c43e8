// A search node: one candidate's life, from its selection over synthesis and evaluation to its verdict. Spawned
// by its campaign; passivates when terminal, and is revived from the journal when someone asks for it.
#pragma once

#include "actors/campaign/campaign_context.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace kevolve {

// The large part of a node's work: the step until the synthesizer has it, the source until the evaluator has it.
struct search_node_work {
  synthesis_step step;
  candidate what; // empty source until proposed
};

// Thousands of these wait for a device: a node holds nothing that it can send on or read again.
struct search_node_state {
  static inline const char* name = "search-node";

  actor_status_ptr own_status;
  campaign_context_ptr context;
  uint64_t index = 0;
  std::unique_ptr<node_record> record;    // null: revived, it is in the journal
  std::unique_ptr<search_node_work> work; // null: the candidate is with the evaluator
  champion_info champion;
  double audit_from = 0.0; // as in the message evaluate_request (actors/messages/messages.hpp)
  double parent_low = 0.0; // likewise
  bool anew = false;       // the record of the known candidate with its verdict is damaged
  std::chrono::steady_clock::time_point begun;
  std::vector<caf::typed_response_promise<node_record>> askers;

  ~search_node_state();
};

// Returns the behaviour of a new node, or of one that a restart found selected or proposed: `record` says how far it
// was.
search_node_actor::behavior_type search_node(search_node_actor::stateful_pointer<search_node_state> self,
                                             actor_status_ptr own_status, campaign_context_ptr context,
                                             node_record record, synthesis_step step, champion_info champion);

// Returns the behaviour of a terminal node, which is read from the journal.
search_node_actor::behavior_type revived_node(search_node_actor::stateful_pointer<search_node_state> self,
                                              actor_status_ptr own_status, campaign_context_ptr context,
                                              uint64_t index);

} // namespace kevolve
