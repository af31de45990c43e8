// The campaign: owns the compact index of its tree, picks what is tried next, promotes champions, ends the search.
// Its state is the fold of its events (campaign_fold.hpp); a restart, of the actor or of the node, folds them
// again and goes on.
#pragma once

#include "actors/campaign/campaign_context.hpp"
#include "actors/campaign/campaign_fold.hpp"
#include "actors/campaign/run_clock.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace kevolve {

struct campaign_state {
  static inline const char* name = "campaign";

  card_ptr card;
  campaign_context_ptr context;
  campaign_fold fold;
  std::string phase = "preparing"; // preparing | running | paused | finishing | finished | failed
  std::string reason;              // why paused or failed
  std::string held_up;             // storage trouble; empty: none
  std::string models_held;         // why no model may be asked, while nothing else is under way; empty: none waits so
  std::string elsewhere; // why it rests while its evaluations wait for a batch or are away; empty: it does not
  std::string waits_for; // campaign_status's
  bool frozen = false;   // its batch comes back, or is given up: it begins anew in a moment
  uint32_t held = 0;     // how many appends wait for the storage
  bool cancelled = false;
  std::string cancel_reason;
  run_clock clock;
  bool ticking = false;     // while it runs
  int64_t recorded_ns = -1; // of its time; below zero: nothing in this session
  std::string timed_phase;  // that it was last set for, and what it showed at the beginning of that
  double phase_from_s = 0.0;
  std::map<uint64_t, caf::actor> nodes; // in flight
  std::set<uint64_t> selecting;         // of these: the selection is not stored yet, so nothing may be spent
  std::map<uint64_t, uint32_t> faults;  // per node in flight
  uint32_t faults_in_a_row = 0;
  std::string last_fault;                          // of what is under way
  std::map<uint64_t, uint32_t> failed_as_baseline; // champions
  uint64_t generation = 0;                         // of the retry timer
  std::map<id128, uint64_t> judging;               // candidates in flight: the first node with each
  std::map<uint64_t, std::vector<caf::typed_response_promise<uint64_t>>> same; // nodes that wait for its verdict

  // Appends go out one batch at a time, in the order the fold took them.
  struct pending {
    append_request what;
    std::function<void()> stored;
  };
  std::vector<pending> outbox;
  bool writing = false;
  bool gathering = false; // more comes for the batch

  bool loaded = false; // the fold is whole: until then nobody is told a status
  std::vector<caf::typed_response_promise<campaign_status>> status_askers;
  std::vector<std::pair<caf::typed_response_promise<steer_answer>, steer_request>> early_steering;
  std::vector<std::pair<caf::typed_response_promise<campaign_status>, std::string>> early_resumes; // with the reasons
  std::vector<caf::typed_response_promise<node_reply>> held_back; // ends of nodes, while it is away

  ~campaign_state();
};

campaign_actor::behavior_type campaign(campaign_actor::stateful_pointer<campaign_state> self, card_ptr card,
                                       campaign_context_ptr context);

// Why it does nothing, though nobody paused it; empty: it does.
const std::string& rests_for(const campaign_state& st);

// What people are told.
campaign_status status_of(const campaign_state& st);
// The same, with what it waits for at this moment.
campaign_status status_now(const campaign_state& st);

} // namespace kevolve
