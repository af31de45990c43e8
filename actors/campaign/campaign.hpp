// The campaign owns the compact index of its tree, picks what is tried next, promotes champions and ends the search.
// Its state is the fold of its events (campaign_fold.hpp). After a restart of the actor or the node it folds them again
// and goes on.
#pragma once

#include "actors/campaign/campaign_context.hpp"
#include "actors/campaign/campaign_fold.hpp"
#include "actors/campaign/campaign_phase.hpp"
#include "actors/campaign/candidates_in_flight.hpp"
#include "actors/campaign/event_outbox.hpp"
#include "actors/campaign/pause_reasons.hpp"
#include "actors/campaign/run_clock.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

struct campaign_state {
  static inline const char* name = "campaign";

  actor_status_ptr own_status;
  campaign_context_ptr context;
  campaign_fold fold;
  phase_machine machine;
  std::string reason;   // what its phase is about: why it is paused or failed, what it waits for
  pause_reasons pauses; // why it does nothing for now
  bool frozen = false;  // its batch comes back, or is given up: it begins anew in a moment
  uint32_t held = 0;    // how many appends wait for the storage
  bool cancelled = false;
  std::string cancel_reason;
  run_clock clock;
  bool ticking = false;                      // while it runs
  int64_t recorded_ns = -1;                  // of its time; below zero: nothing in this session
  std::optional<campaign_phase> timed_phase; // that it was last set for
  double phase_from_s = 0.0;                 // what the clock showed at the beginning of that phase
  candidates_in_flight flight;
  std::map<uint64_t, uint32_t> repeats; // by open node: replies that repeated a known candidate, and were sent back
  uint32_t faults_in_a_row = 0;
  std::string last_fault;                          // of what is under way
  std::map<uint64_t, uint32_t> failed_as_baseline; // champions
  uint64_t generation = 0;                         // of the retry timer
  event_outbox outbox;
  bool profiled_now = false;                    // a profile of one of its candidates is under way
  std::vector<std::string> signals;             // of all its steps, by which skills are found; empty: not asked for yet
  std::set<std::pair<size_t, uint64_t>> worded; // gains that a model is putting into words: generator and child

  bool loaded = false; // true once the fold is whole; status requests wait until then
  std::vector<caf::typed_response_promise<campaign_status>> status_askers;
  std::vector<std::pair<caf::typed_response_promise<steer_answer>, steer_request>> early_steering;
  std::vector<std::pair<caf::typed_response_promise<campaign_status>, std::string>> early_resumes; // with the reasons
  std::vector<caf::typed_response_promise<node_reply>> held_back; // ends of nodes, while it is away

  campaign_phase phase() const { return machine.phase(); }

  ~campaign_state();
};

campaign_actor::behavior_type campaign(campaign_actor::stateful_pointer<campaign_state> self,
                                       actor_status_ptr own_status, campaign_context_ptr context);

// Returns why a campaign that nobody paused does nothing; empty otherwise.
const std::string& rests_for(const campaign_state& st);

// Returns the status that people are shown.
campaign_status status_of(const campaign_state& st);
// Returns the same, with what the campaign waits for at this moment.
campaign_status status_now(const campaign_state& st);

} // namespace kevolve
