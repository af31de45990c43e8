#include "runtime/node/supervisor.hpp"

#include "actors/actor_states.hpp"
#include "actors/messages/messages.hpp"
#include "runtime/base/log.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/response_promise.hpp>
#include <caf/sec.hpp>

#include <algorithm>

namespace kevolve {

namespace {

using pointer = caf::stateful_actor<supervisor_state>*;

// The most requests that a proxy keeps while its actor restarts.
constexpr size_t held_at_most = 10'000;

void quit(pointer self, const caf::error& reason);

void publish(pointer self, supervisor_state::child& c) {
  if (c.spec.proxy)
    self->send(c.spec.proxy, atom::publish_v, c.handle);
}

void stop_all(pointer self, caf::error reason) {
  auto& st = self->state;
  st.stopping = true;
  st.stop_reason = std::move(reason);
  st.own_status->says("stopping");
  auto any = false;
  for (auto i = st.children.rbegin(); i != st.children.rend(); ++i)
    if (i->handle) {
      any = true;
      self->send_exit(i->handle, caf::exit_reason::user_shutdown);
    }
  if (!any)
    quit(self, st.stop_reason);
}

void child_ended(pointer self, size_t index, const caf::error& reason) {
  auto& st = self->state;
  auto& c = st.children[index];
  auto now = self->clock().now();
  c.handle = nullptr;
  publish(self, c);
  auto in_order = !reason || reason == caf::exit_reason::user_shutdown || reason == caf::exit_reason::normal;
  auto wanted = c.spec.policy == restart_policy::permanent || (c.spec.policy == restart_policy::transient && !in_order);
  if (!wanted)
    return;
  while (!st.restarts.empty() && now - st.restarts.front() > st.config.window)
    st.restarts.pop_front();
  st.restarts.push_back(now);
  if (st.restarts.size() > st.config.max_restarts) {
    log::error("supervisor", "{} {} restarts too often ({} times in {} s): giving up", c.spec.kind, c.spec.name,
               st.restarts.size(), st.config.window.count() / 1000);
    stop_all(self, caf::make_error(errc::unavailable, c.spec.kind + " " + c.spec.name + " restarts too often"));
    return;
  }
  if (now - c.started > st.config.backoff_max)
    c.failures = 0;
  auto exponent = std::min<size_t>(c.failures++, 16);
  auto delay = std::min(st.config.backoff_max, std::chrono::milliseconds{st.config.backoff_min.count() << exponent});
  log::warn("supervisor", "{} {} is down ({}); restart in {} ms", c.spec.kind, c.spec.name,
            to_string(to_failure(reason)), delay.count());
  self->delayed_send(self, delay, atom::tick_v, static_cast<uint64_t>(index));
}

void start_child(pointer self, size_t index) {
  auto& c = self->state.children[index];
  c.started = self->clock().now();
  try {
    c.handle = c.spec.start(self, static_cast<uint64_t>(self->id()));
  } catch (const std::exception& e) {
    child_ended(self, index, caf::make_error(errc::internal, std::string{e.what()}));
    return;
  }
  self->monitor(c.handle);
  publish(self, c);
}

void quit(pointer self, const caf::error& reason) {
  for (auto& c : self->state.children)
    if (c.spec.proxy)
      self->send_exit(c.spec.proxy, caf::exit_reason::user_shutdown);
  self->state.children.clear();
  self->state.alive = nullptr;
  self->quit(reason);
}

} // namespace

caf::behavior supervisor(pointer self, actor_status_ptr own_status, supervision_config config,
                         std::vector<child_spec> children) {
  auto& st = self->state;
  st.own_status = std::move(own_status);
  report_exceptions(self);
  st.alive = caf::actor_cast<caf::actor>(self);
  st.config = config;
  for (auto& c : children)
    st.children.push_back({std::move(c), {}, 0, {}});
  self->set_down_handler([self](caf::down_msg& m) {
    auto& xs = self->state.children;
    auto i = std::find_if(xs.begin(), xs.end(), [&](auto& c) { return c.handle && c.handle.address() == m.source; });
    if (i == xs.end())
      return;
    if (!self->state.stopping) {
      child_ended(self, static_cast<size_t>(i - xs.begin()), m.reason);
      return;
    }
    i->handle = nullptr;
    if (std::none_of(xs.begin(), xs.end(), [](auto& c) { return static_cast<bool>(c.handle); }))
      quit(self, self->state.stop_reason);
  });
  self->set_exit_handler([self](caf::exit_msg& m) {
    if (!self->state.stopping)
      stop_all(self, m.reason);
  });
  for (size_t i = 0; i < st.children.size(); ++i)
    start_child(self, i);
  st.own_status->says(actor_state::idle);
  return {
      [self](atom::tick, uint64_t index) {
        handling h{self, self->state.own_status, "tick"};
        if (!self->state.stopping && index < self->state.children.size() && !self->state.children[index].handle)
          start_child(self, index);
      },
  };
}

caf::behavior proxy(caf::stateful_actor<proxy_state>* self, actor_status_ptr own_status) {
  self->state.own_status = std::move(own_status);
  self->set_default_handler([self](caf::scheduled_actor*, caf::message_view& xs) -> caf::result<caf::message> {
    auto& st = self->state;
    auto promise = self->make_response_promise();
    if (st.current)
      promise.delegate(st.current, xs.move_content_to_message());
    else if (st.held.size() < held_at_most)
      st.held.emplace_back(promise, xs.move_content_to_message());
    else
      return caf::make_error(errc::unavailable, std::string{"restarting"});
    return promise;
  });
  return {
      [self](atom::publish, caf::actor& instance) {
        auto& st = self->state;
        st.current = std::move(instance);
        st.own_status->says(st.current ? actor_state::idle : "down");
        if (!st.current)
          return;
        for (auto& [promise, message] : std::exchange(st.held, {}))
          promise.delegate(st.current, std::move(message));
      },
  };
}

proxy_state::~proxy_state() {
  for (auto& [promise, message] : held)
    if (promise.pending())
      promise.deliver(caf::make_error(errc::unavailable, std::string{"has ended"}));
}

} // namespace kevolve
