// One attempt of one call to a model: what is sent and within which limits, and how it ended. Plain values.
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
  llm::milliseconds connect{15'000};     // name, connection, proxy and TLS; also: the rest of an error's body
  llm::milliseconds first_byte{300'000}; // from the connection to the answer's first byte: a whole answer is slow
  llm::watchdog_limits content;          // `total` bounds every attempt, the others streams alone
  size_t header_bytes = size_t{64} << 10U;
  size_t body_bytes = size_t{64} << 20U; // keep-alives included
  size_t error_bytes = size_t{64} << 10U;
  llm::stream_limits reply;
  size_t unread_batches = 16; // batches of events given and not taken: more is not read before
};

struct attempt {
  llm::provider_access provider;
  api_key key;
  std::shared_ptr<const std::string> body; // of encode_request
  bool stream = true;                      // as the body asks
  attempt_limits limits;
  network_options network;
  bool fresh = false;     // over a new connection, kept ones left alone: it cannot go out twice
  bool keep_body = false; // a 2xx answer's body too, for recordings
};

enum class attempt_outcome : uint8_t { answered = 0, failed, cancelled };
std::string to_string(attempt_outcome o);

using microseconds = std::chrono::microseconds;

struct attempt_times { // from the attempt's start; null: it did not come to that
  std::optional<microseconds> connected;
  std::optional<microseconds> first_byte;
  std::optional<microseconds> first_content;
  microseconds total{0};
  // Of our thread, for this attempt; of TLS handshakes at the same time, some is booked to the wrong one.
  std::chrono::nanoseconds own_cpu{0};
};

// Nothing in it holds the key or another secret of the attempt, whatever the server sent.
struct attempt_end {
  attempt_outcome outcome = attempt_outcome::failed;
  llm::reply reply;                              // as far as it came
  std::optional<llm::remedy> remedy;             // null: cancelled, or a reply that is an answer
  std::optional<llm::transport_trouble> trouble; // the connection was at fault
  int status = 0;                                // 0: no answer
  llm::header_list headers;
  std::string body; // of an error, up to error_bytes; of others if keep_body
  attempt_times times;
  uint64_t bytes_out = 0; // HTTP's, before TLS
  uint64_t bytes_in = 0;
  uint64_t keep_alives = 0;
  bool reused = false; // a connection of an earlier attempt
  bool resent = false; // that one was dead: the request went out a second time, on a fresh one
};

// One line for a log: no prompt, no reply, no secret.
std::string describe(const attempt& a);
std::string describe(const attempt_end& e);

} // namespace kevolve
