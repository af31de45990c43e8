// A request and its answer, independent of the transport. The HTTP listener makes requests and sends answers; the
// command line makes requests itself when no node answers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

struct api_request {
  std::string method; // "GET"
  std::string target; // path and query as received
  std::string body;
  std::string content_type;
  bool event_stream = false; // Accept: text/event-stream
  bool followed = false;     // a stream that wrote recently: its campaign is not looked up again
  std::string idempotency_key;
  std::string id;   // id of this request, for logs and the audit; empty if none was given
  std::string who;  // the token's fingerprint, or a local user
  std::string peer; // the address of the client
};

struct api_response {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::string allow;       // with 405
  uint64_t last_event = 0; // last event of a stream, after which it continues
  std::string problem;     // name of the problem; empty if the answer is none
  std::string route;       // operationId, for the counters; empty if no route matched
  // Headers beside those that every answer has.
  std::vector<std::pair<std::string, std::string>> headers;
};

// Receives the answer; called exactly once, from any thread.
using api_done = std::function<void(api_response)>;

} // namespace kevolve
