// A provider of language models whose key another node holds. It looks like the provider's own actor, but each attempt
// is a job of the cluster.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/cluster/cluster_messages.hpp"
#include "actors/interfaces.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <map>
#include <string>
#include <vector>

namespace kevolve {

// The fingerprint that nodes offer which ask models for others: the form of requests and answers.
inline constexpr const char* model_calls_form = "model calls 1";

struct remote_provider_setup {
  std::string name; // as all nodes call it
  cluster_actor cluster;
};

struct remote_provider_state {
  static inline const char* name = "remote_provider";
  actor_status_ptr own_status;
  remote_provider_setup setup;
  std::map<uint64_t, std::pair<id128, caf::typed_response_promise<provider_end>>> flights; // by the asker's serial

  ~remote_provider_state();
};

provider_actor::behavior_type remote_provider(provider_actor::stateful_pointer<remote_provider_state> self,
                                              actor_status_ptr own_status, remote_provider_setup setup);

} // namespace kevolve
