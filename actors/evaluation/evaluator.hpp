// The evaluator: runs the job graph of each evaluation of one campaign. Every stage is looked up first, run under a
// lease, and stored before its result is used.
#pragma once

#include "actors/campaign/campaign_context.hpp"
#include "actors/evaluation/plan.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

struct evaluator_state {
  static inline const char* name = "evaluator";

  // One evaluation in progress.
  struct run {
    uint64_t serial = 0;
    evaluate_request request;
    id128 candidate;
    evaluation_progress progress;
    std::string object;       // bytes of the object
    std::string baseline;     // bytes of the baseline's object; empty: the reference
    std::string sanitised;    // bytes of the sanitised build's object
    bool has_turn = false;    // has a turn at the device
    bool asked_known = false; // the campaign was asked for a known candidate with its object
    id128 buying;             // the evaluation that it pays for now; zero: none
    caf::typed_response_promise<evaluation> promise;
  };
  using run_ptr = std::shared_ptr<run>;

  actor_status_ptr own_status;
  campaign_context_ptr context;
  evaluation_ground ground;
  bool prepared = false;
  preparation fixed;
  std::string reference; // bytes of the object
  std::string oracle;
  // Bytes of the reference's sanitised build, made before the first replay; nothing until it was tried.
  std::optional<std::string> sanitised_reference;
  bool preparing = false;
  std::vector<caf::typed_response_promise<preparation>> awaiting_preparation;
  std::vector<run_ptr> held; // runs that arrived before the preparation
  std::map<uint64_t, run_ptr> runs;
  // Runs take turns, as many at once as there are devices. So each screening is against the current champion, not the
  // one at the time of queueing.
  champion_info champion;
  bool told = false; // the campaign has named its champion, which may be the reference again
  std::deque<run_ptr> awaiting_turn;
  size_t turns_taken = 0;
  // The node that has just shown a gain. The next screening waits in case the campaign promotes it.
  std::optional<uint64_t> awaiting_promotion;
  // Evaluations in progress, and the runs that wait for the same ones.
  std::map<id128, std::vector<run_ptr>> bought;
  // Results that may not be stored yet: they are stored with the evaluations that they ended.
  std::deque<evaluation_record> recent;
  std::pair<std::string, std::string> last_blob; // digest, bytes
  uint64_t last_serial = 0;

  ~evaluator_state();
};

evaluator_actor::behavior_type evaluator(evaluator_actor::stateful_pointer<evaluator_state> self,
                                         actor_status_ptr own_status, campaign_context_ptr context);

// Returns the devices of this node that judge for the campaign.
std::vector<device_description> devices_here(const evaluator_state& st);

// Returns what a compile worker must offer for this campaign, and what a device. In a cluster a campaign's figures all
// come from devices of one fingerprint.
std::vector<std::string> asked_of_compiler(const evaluator_state& st);
std::vector<std::string> asked_of_device(const evaluator_state& st, const std::string& fingerprint);

// Returns the job that builds the reference for sanitised replays.
compile_request sanitised_reference_job(const evaluator_state& st);

// Starts the preparation: compiles reference, oracle and syntax tree, probes the device, admits the task. The stored
// preparation of an earlier run serves again while it still holds. Does nothing if one is under way.
void start_preparation(evaluator_actor::stateful_pointer<evaluator_state> self);

} // namespace kevolve
