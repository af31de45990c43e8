// Calls language models over the network: HTTP/1.1, TLS, proxies, Unix sockets, event streams. One thread carries all
// attempts. The caller decides about repetitions by the attempt's remedy.
#pragma once

#include "backends/llm/transport/attempt.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace kevolve {

struct pool_limits { // limits of connections kept for later attempts
  size_t per_origin = 32;
  size_t total = 128;
  llm::milliseconds idle{30'000};
};

struct transport_options {
  pool_limits pool;
  std::function<llm::instant()> wall_clock; // compared with servers' dates; empty: the system's clock
};

struct transport_figures {
  size_t in_flight = 0;
  size_t idle_connections = 0;
  uint64_t connections_opened = 0;
  size_t most_buffer_bytes = 0; // largest buffer of undecoded bytes that any attempt used
  std::chrono::microseconds cpu{0};
};

struct transport_core;

// Refers to an attempt. It may outlive the attempt and the transport. Usable from any thread.
class attempt_handle {
public:
  // Closes the connection at once. The attempt ends as cancelled unless its end is already being delivered.
  void cancel() const;
  // Acknowledges delivered batches of events. Without acknowledgements, reading stops after
  // attempt_limits::unread_batches.
  void took(size_t batches = 1) const;

private:
  friend class model_transport;
  std::weak_ptr<transport_core> core_;
  uint64_t id_ = 0;
};

class model_transport {
public:
  // The callbacks run on the transport's thread. They must not block and must not destroy the transport.
  using on_events = std::function<void(std::vector<llm::event>)>; // the list is never empty; the function may be null
  using on_end = std::function<void(attempt_end)>;                // called once and last

  explicit model_transport(transport_options options = {});
  // Cancels every attempt, then ends the thread.
  ~model_transport();
  model_transport(const model_transport&) = delete;
  model_transport& operator=(const model_transport&) = delete;

  // Starts an attempt. errc::bad_input: the request cannot be sent; then on_end is not called.
  result<attempt_handle> start(attempt a, on_events events, on_end end);
  transport_figures figures() const;

private:
  std::shared_ptr<transport_core> core_;
};

} // namespace kevolve
