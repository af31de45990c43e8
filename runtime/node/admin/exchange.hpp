// A request and its answer, apart from any transport: the HTTP listener makes and sends them, the command line
// makes them itself when no node answers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

struct api_request {
  std::string method; // "GET"
  std::string target; // path and query, as they came
  std::string body;
  std::string content_type;
  bool event_stream = false; // Accept: text/event-stream
  bool followed = false;     // of a stream that is open: what it is about was there
  std::string idempotency_key;
  std::string id;   // of this request, for logs and the audit; empty: none given
  std::string who;  // the token's fingerprint, or a local user
  std::string peer; // address it came from
};

struct api_response {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::string allow;       // with 405
  uint64_t last_event = 0; // of an event stream: where to go on
  std::string problem;     // its name, if it is one
  std::string route;       // operationId, for the counters; empty: no route
  // Besides those that every answer has.
  std::vector<std::pair<std::string, std::string>> headers;
};

// Called exactly once, from any thread.
using api_done = std::function<void(api_response)>;

} // namespace kevolve
