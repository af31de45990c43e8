// One provider of language models: its key, its connections, the attempts in flight. The models actor decides what an
// attempt's end means and what follows.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/interfaces.hpp"
#include "actors/models/provider_plan.hpp"
#include "backends/llm/transport/model_transport.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>

namespace kevolve {

struct provider_setup {
  provider_plan plan;
  bool elsewhere = false; // another node asks it
  std::string key_file;   // read at each attempt, so that a new key needs no restart
  network_options network;
  attempt_limits limits;
  std::shared_ptr<model_transport> transport;
};
// Fails with errc::bad_input as plan_of() does.
result<provider_setup> setup_of(const provider_spec& spec, std::shared_ptr<model_transport> transport);
// Returns the provider's current key; empty if it needs none. errc::not_found, errc::unauthorised, errc::bad_input.
result<api_key> key_of(const provider_setup& setup);
// Returns one attempt, ready to send. errc::not_found or errc::unauthorised if the key cannot be read.
result<attempt> attempt_of(const provider_setup& setup, std::string body, bool stream);
// Returns the message about an attempt that has ended: the answer, or what failed, the remedy and when to try again.
provider_end end_of(const attempt_end& e);

struct provider_state {
  static inline const char* name = "provider";

  struct flight {
    caf::actor_addr asker;
    uint64_t serial = 0; // serial number of the asker
    attempt_handle handle;
    caf::typed_response_promise<provider_end> promise;
  };

  actor_status_ptr own_status;
  provider_setup setup;
  std::map<uint64_t, flight> flights; // by a number of our own, because a restarted asker counts from the start
  uint64_t last_flight = 0;
  std::set<caf::actor_addr> watched;

  ~provider_state();
};

provider_actor::behavior_type provider(provider_actor::stateful_pointer<provider_state> self,
                                       actor_status_ptr own_status, provider_setup setup);

} // namespace kevolve
