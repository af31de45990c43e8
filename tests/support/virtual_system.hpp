// An actor system with virtual time: jobs and the clock advance only on command.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/messages/messages.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace kevolve {

using namespace std::chrono_literals;

struct virtual_config : caf::actor_system_config {
  virtual_config();
};

// The outcome of a request.
template <class T>
struct reply {
  std::optional<T> value;
  std::optional<failure> error;
  bool come() const { return value || error; }
};

struct virtual_system {
  virtual_config config;
  caf::actor_system system{config};
  caf::scheduler::test_coordinator& scheduler = dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  std::shared_ptr<actor_status_table> statuses = std::make_shared<actor_status_table>();

  void run() { scheduler.run(); }
  void pass(std::chrono::milliseconds t) {
    scheduler.advance_time(t);
    scheduler.run();
  }
  // Sends a request from a new actor. The reply is set once its messages have run.
  template <class T, class Handle, class... Ts>
  std::shared_ptr<reply<T>> ask(const Handle& whom, Ts... xs) {
    return ask_as<T>(nullptr, whom, std::move(xs)...);
  }
  // Like ask(), but stores the asker's handle in `who`, so that a test can end it.
  template <class T, class Handle, class... Ts>
  std::shared_ptr<reply<T>> ask_as(caf::actor* who, const Handle& whom, Ts... xs) {
    auto out = std::make_shared<reply<T>>();
    auto asker = system.spawn([=](caf::event_based_actor* self) -> caf::behavior {
      self->request(whom, 1440min, xs...)
          .then([out](T& x) { out->value = std::move(x); }, [out](caf::error& e) { out->error = to_failure(e); });
      return {[](atom::begin) {}}; // lives until it is told to end
    });
    if (who != nullptr)
      *who = asker;
    else
      askers.push_back(asker);
    return out;
  }
  static void stop(const caf::actor& a) { caf::anon_send_exit(a, caf::exit_reason::user_shutdown); }

  ~virtual_system() {
    for (auto& a : askers)
      stop(a);
    askers.clear();
    scheduler.run();
  }
  virtual_system() = default;
  virtual_system(const virtual_system&) = delete;
  virtual_system& operator=(const virtual_system&) = delete;

  std::vector<caf::actor> askers;
};

} // namespace kevolve
