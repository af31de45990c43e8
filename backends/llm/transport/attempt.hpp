// One attempt of one call to a model: its request, its limits and its result. Plain values.
#pragma once

#include "backends/llm/protocol/failure.hpp"
#include "backends/llm/protocol/provider.hpp"
#include "backends/llm/protocol/watchdog.hpp"
#include "backends/llm/protocol/wire.hpp"
#include "backends/llm/transport/api_key.hpp"
#include "backends/llm/transport/route.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace kevolve {

struct attempt_limits {
  llm::milliseconds connect{15'000}; // name, connection, proxy and TLS; also limits reading the rest of an error's body
  llm::milliseconds first_byte{300'000}; // from the connection to the answer's first byte; whole answers are slow
  llm::watchdog_limits content;          // `total` bounds every attempt, the other limits only streams
  size_t header_bytes = size_t{64} << 10U;
  size_t body_bytes = size_t{64} << 20U; // includes keep-alives
  size_t error_bytes = size_t{64} << 10U;
  llm::stream_limits reply;
  size_t unread_batches = 16; // batches of events delivered and not acknowledged; reading stops at this number
};

struct attempt {
  llm::provider_access provider;
  api_key key;
  std::shared_ptr<const std::string> body; // from encode_request
  bool stream = true;                      // must agree with the body
  attempt_limits limits;
  network_options network;
  bool fresh = false;     // opens a new connection instead of reusing one, so the request cannot be sent twice
  bool keep_body = false; // keeps a 2xx answer's body as well, for recordings
};

enum class attempt_outcome : uint8_t { answered = 0, failed, cancelled };
std::string to_string(attempt_outcome o);

using microseconds = std::chrono::microseconds;

struct attempt_times { // since the attempt's start; null: the stage was not reached
  std::optional<microseconds> connected;
  std::optional<microseconds> first_byte;
  std::optional<microseconds> first_content;
  microseconds total{0};
  // CPU time of the transport's thread for this attempt. Parallel TLS handshakes may be booked to the wrong attempt.
  std::chrono::nanoseconds own_cpu{0};
};

// The result of an attempt. It never contains the key or another secret of the attempt, whatever the server sent.
struct attempt_end {
  attempt_outcome outcome = attempt_outcome::failed;
  llm::reply reply;                              // as much as arrived
  std::optional<llm::remedy> remedy;             // null: cancelled, or the reply is an answer
  std::optional<llm::transport_trouble> trouble; // set if the connection failed
  int status = 0;                                // 0: no answer
  llm::header_list headers;
  std::string body; // an error's body, up to error_bytes; other bodies if keep_body
  attempt_times times;
  uint64_t bytes_out = 0; // bytes of HTTP, before TLS
  uint64_t bytes_in = 0;
  uint64_t keep_alives = 0;
  bool reused = false; // used the connection of an earlier attempt
  bool resent = false; // the reused connection was dead, so the request was sent again on a new one
};

// Returns one line for a log, without prompt, reply or secret.
std::string describe(const attempt& a);
std::string describe(const attempt_end& e);

} // namespace kevolve
