// The models of a node's providers behind one address. It chooses a question's provider, retries retryable errors, and
// reserves the possible cost of a call before it is sent. It stores an answer before it delivers it. Each provider's
// connections belong to its own actor.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/interfaces.hpp"
#include "actors/models/model_board.hpp"
#include "actors/models/provider_plan.hpp"
#include "backends/llm/protocol/logical_call.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kevolve {

struct model_source {
  provider_plan plan;
  provider_actor proxy;
};

struct models_setup {
  std::vector<model_source> sources;
  journal_actor journal;
  std::shared_ptr<model_board> board;
  std::function<int64_t()> now_ns; // wall clock, since the epoch
};

struct models_state {
  static inline const char* name = "models";

  // One question in progress.
  struct call {
    uint64_t serial = 0;
    model_question question;
    caf::actor_addr asker;
    caf::typed_response_promise<model_reply> promise;
    llm::logical_call way;
    llm::call_size size;             // size of the question
    std::optional<size_t> at;        // the provider that has it now, or is to get it
    uint64_t epoch = 0;              // epoch of the provider's circuit breaker
    bool fresh = false;              // is sent over a new connection
    std::optional<size_t> backs_off; // the provider whose back-off it waits for
    bool storing = false;            // the last attempt's result is being stored
    bool gone = false;               // withdrawn: the call in progress is settled, nothing else
    uint64_t timer = 0;              // number of its timer; 0: none
    std::function<void()> then;      // called when the timer expires
    llm::failure_class last = llm::failure_class::none;
  };
  using call_ptr = std::shared_ptr<call>;

  actor_status_ptr own_status;
  models_setup setup;
  std::vector<llm::provider_health> health;
  std::map<std::string, llm::ledger> ledgers; // by key; only those that were needed
  std::map<std::string, std::vector<std::function<void()>>> reading;
  std::map<uint64_t, call_ptr> calls;
  std::map<exchange_id, std::set<uint64_t>> asked; // the calls of each question: several if a generator was restarted
  std::set<uint64_t> waiting;                      // calls that wait for another call to end or for a provider to
                                                   // return
  std::set<caf::actor_addr> watched;               // askers
  // By provider: the class of its last refusal, and how many came in a row.
  std::map<size_t, std::pair<llm::failure_class, uint32_t>> bad_requests;
  std::map<std::string, std::string> damaged; // ledgers that cannot be read, with the reason
  std::map<std::string, bool> named;          // providers with a logged outage; true: a person must resume it
  std::optional<llm::instant> looks_again;    // time at which the first shown suspension ends
  uint64_t last_serial = 0;
  uint64_t last_timer = 0;

  ~models_state();
};

models_actor::behavior_type models(models_actor::stateful_pointer<models_state> self, actor_status_ptr own_status,
                                   models_setup setup);

} // namespace kevolve
