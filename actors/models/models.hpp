// The models of a node's providers behind one address: chooses whom a question goes to, repeats what may be repeated,
// reserves what a call may cost before it goes out, and stores the answer before it gives it away. The connections are
// the providers' own actors'.
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
  provider_actor front;
};

struct models_setup {
  std::vector<model_source> sources;
  journal_actor journal;
  std::shared_ptr<model_board> board;
  std::function<int64_t()> now_ns; // wall clock, since the epoch
};

struct models_state {
  static inline const char* name = "models";

  // One question on its way.
  struct call {
    uint64_t serial = 0;
    model_question question;
    caf::actor_addr asker;
    caf::typed_response_promise<model_reply> promise;
    llm::logical_call way;
    llm::call_size size;             // of the question
    std::optional<size_t> at;        // the provider that has it now, or is to get it
    uint64_t epoch = 0;              // of its breaker
    bool fresh = false;              // it goes out over a connection that nobody has used
    std::optional<size_t> backs_off; // the provider that it failed at and waits for
    bool storing = false;            // what came of the last attempt is on its way to the disk
    bool gone = false;               // nobody waits: what is under way is settled, no more
    uint64_t timer = 0;              // that it has set; 0: none
    std::function<void()> then;      // when that goes off
    llm::failure_class last = llm::failure_class::none;
  };
  using call_ptr = std::shared_ptr<call>;

  card_ptr card;
  models_setup setup;
  std::vector<llm::provider_health> health;
  std::map<std::string, llm::ledger> ledgers; // by key; those that were asked for
  std::map<std::string, std::vector<std::function<void()>>> reading;
  std::map<uint64_t, call_ptr> calls;
  std::map<exchange_id, std::set<uint64_t>> asked; // the calls of each question: several if a generator came back
  std::set<uint64_t> waiting;                      // calls: for one in flight to land, or a provider to come back
  std::set<caf::actor_addr> watched;               // askers
  // By provider, of the last kind that it refused: so many in a row.
  std::map<size_t, std::pair<llm::failure_class, uint32_t>> bad_requests;
  std::map<std::string, std::string> damaged; // ledgers that cannot be read: why
  std::map<std::string, bool> named;       // providers whose outage was logged and is not over: does it need a person
  std::optional<llm::instant> looks_again; // when the first of the rests that are shown is over
  uint64_t last_serial = 0;
  uint64_t last_timer = 0;

  ~models_state();
};

models_actor::behavior_type models(models_actor::stateful_pointer<models_state> self, card_ptr card,
                                   models_setup setup);

} // namespace kevolve
