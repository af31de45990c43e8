// A generator of one campaign that asks a model. It makes the prompt, gets the reply, runs the tools that it calls, and
// asks once more if the reply cannot be read.
#pragma once

#include "actors/campaign/campaign_context.hpp"
#include "actors/knowledge/retrieval.hpp"
#include "actors/synthesis/conversation.hpp"
#include "actors/synthesis/prompt.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace kevolve {

struct model_generator_state {
  static inline const char* name = "model-generator";

  // One node's step in progress.
  struct work {
    uint64_t serial = 0;
    generate_request step;
    synthesis::prompt_facts facts;
    bool diagnosed = false;  // the question for a diagnosis is over
    model_question question; // of the current round
    synthesis::conversation talk;
    int64_t asked_again = 0;                   // because its candidate repeated a known one
    std::vector<synthesis::called_tool> calls; // from the last reply: the next round brings their results
    caf::typed_response_promise<proposal> promise;
  };
  using work_ptr = std::shared_ptr<work>;

  // A gain that the model is putting into words.
  struct gain {
    gain_texts about;
    model_question question;
    caf::typed_response_promise<worded_step> promise;
  };
  using gain_ptr = std::shared_ptr<gain>;

  actor_status_ptr own_status;
  campaign_context_ptr context;
  uint32_t place = 0; // index in the campaign's list of generators
  model_actor model;
  std::function<int64_t()> now_ns; // wall clock, since the epoch
  synthesis_context fixed;
  std::vector<std::string> machine;            // description of the device, a line each
  bool zero_sizes = false;                     // a shape or a size's rule allows a size of zero
  std::map<std::string, std::string> peaks;    // of the device
  std::map<std::string, std::string> admitted; // evidence of the task's admission
  std::vector<knowledge::signal> signals;      // of the campaign
  synthesis::prompt_budgets budgets;
  sampling_terms terms;
  session_spec session;
  const knowledge::knowledge_base* knowledge = nullptr; // the context's; null: prompts quote none
  int64_t diagnosis_tokens = 0; // of the reply to the question for a diagnosis; 0: none is asked
  int64_t distil_tokens = 0;    // of the reply that words a gain; 0: none is asked
  bool ready = false;           // the preparation has been read
  std::map<uint64_t, work_ptr> under_way;
  std::map<uint64_t, gain_ptr> gains; // by the child
  std::set<uint64_t> withdrawn;       // nodes
  uint64_t last_serial = 0;

  ~model_generator_state();
};

generator_actor::behavior_type model_generator(generator_actor::stateful_pointer<model_generator_state> self,
                                               actor_status_ptr own_status, campaign_context_ptr context,
                                               uint32_t place, model_actor model, std::function<int64_t()> now_ns);

} // namespace kevolve
