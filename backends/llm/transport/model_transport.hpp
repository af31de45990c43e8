// Calls of language models over the network: HTTP/1.1, TLS, proxies, Unix sockets, event streams. One thread carries
// all attempts; whether one is repeated, and where, others decide by its remedy.
#pragma once

#include "backends/llm/transport/attempt.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace kevolve {

struct pool_limits { // connections kept for the next attempt
  size_t per_origin = 32;
  size_t total = 128;
  llm::milliseconds idle{30'000};
};

struct transport_options {
  pool_limits pool;
  std::function<llm::instant()> wall_clock; // for servers' dates; empty: the system's
};

struct transport_figures {
  size_t in_flight = 0;
  size_t idle_connections = 0;
  uint64_t connections_opened = 0;
  size_t most_buffer_bytes = 0; // that any attempt held for bytes not yet decoded
  std::chrono::microseconds cpu{0};
};

struct transport_core;

// Names an attempt; may outlive it and the transport. Any thread.
class attempt_handle {
public:
  // Closes the connection at once. The end comes as cancelled, unless it is on its way already.
  void cancel() const;
  // So many batches of events were dealt with. Who never says so gets attempt_limits::unread_batches and no more.
  void took(size_t batches = 1) const;

private:
  friend class model_transport;
  std::weak_ptr<transport_core> core_;
  uint64_t id_ = 0;
};

class model_transport {
public:
  // Called on the transport's thread: they must not block, and must not destroy the transport.
  using on_events = std::function<void(std::vector<llm::event>)>; // never empty; may be null
  using on_end = std::function<void(attempt_end)>;                // once, and nothing after it

  explicit model_transport(transport_options options = {});
  // Ends every attempt as cancelled, then the thread.
  ~model_transport();
  model_transport(const model_transport&) = delete;
  model_transport& operator=(const model_transport&) = delete;

  // errc::bad_input: what is asked cannot be sent as it is; nothing was, and no end comes.
  result<attempt_handle> start(attempt a, on_events events, on_end end);
  transport_figures figures() const;

private:
  std::shared_ptr<transport_core> core_;
};

} // namespace kevolve
