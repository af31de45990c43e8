// A one-for-one supervisor with exponential back-off and restart intensity, as in Erlang/OTP. Children are reached
// through proxies, so a restart appears only as a delay.
#pragma once

#include "actors/actor_status.hpp"

#include <caf/actor.hpp>
#include <caf/actor_clock.hpp>
#include <caf/behavior.hpp>
#include <caf/error.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/message.hpp>
#include <caf/response_promise.hpp>
#include <caf/stateful_actor.hpp>

#include <chrono>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

enum class restart_policy {
  permanent, // always restarted
  transient, // restarted unless it ended normally
  temporary, // never restarted
};

struct child_spec {
  std::string kind;
  std::string name;
  restart_policy policy = restart_policy::permanent;
  // Spawns a fresh instance under the supervisor's id; may throw, which counts as a crash.
  std::function<caf::actor(caf::event_based_actor* supervisor, uint64_t supervisor_id)> start;
  caf::actor proxy; // proxy that is told of every instance and ends with the supervisor; may be invalid
};

struct supervision_config {
  size_t max_restarts = 8;
  std::chrono::milliseconds window{30'000};
  std::chrono::milliseconds backoff_min{20};
  std::chrono::milliseconds backoff_max{5'000};
};

struct supervisor_state {
  static inline const char* name = "supervisor";

  struct child {
    child_spec spec;
    caf::actor handle;
    size_t failures = 0; // consecutive failures
    caf::actor_clock::time_point started;
  };

  actor_status_ptr own_status;
  // A reference to itself until its children have ended. The framework ends an actor without references, as when its
  // owner has crashed, and would leave the children running.
  caf::actor alive;
  supervision_config config;
  std::vector<child> children;
  std::deque<caf::actor_clock::time_point> restarts;
  bool stopping = false;
  caf::error stop_reason;
};

// Stops its children in reverse order on an exit message, then ends. Exceeding the intensity ends it with
// errc::unavailable naming the child, so that the owner escalates.
caf::behavior supervisor(caf::stateful_actor<supervisor_state>* self, actor_status_ptr own_status,
                         supervision_config config, std::vector<child_spec> children);

// The proxy of a supervised actor. It passes every message on to the current instance. While there is none it keeps
// messages, up to a limit, then answers errc::unavailable.
struct proxy_state {
  static inline const char* name = "proxy";
  actor_status_ptr own_status;
  caf::actor current;
  std::vector<std::pair<caf::response_promise, caf::message>> held;

  ~proxy_state();
};
caf::behavior proxy(caf::stateful_actor<proxy_state>* self, actor_status_ptr own_status);

} // namespace kevolve
