// The answer of a language model, independent of the vendor: events of a stream and the whole reply. Plain values;
// wire.hpp decodes them from a vendor's bytes.
#pragma once

#include "backends/llm/protocol/request.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::llm {

// Token counts with one meaning for all vendors. An unknown count is null, never zero.
struct token_counts {
  std::optional<int64_t> input; // all input tokens, cached or not
  std::optional<int64_t> cached_read;
  std::optional<int64_t> cache_write;    // all tokens written to the cache
  std::optional<int64_t> cache_write_1h; // the part of cache_write that is kept for an hour, at a higher price
  std::optional<int64_t> output;         // includes reasoning tokens
  std::optional<int64_t> reasoning;
  std::string service_tier; // as answered; some tiers have their own price

  bool operator==(const token_counts&) const = default;
};

// Token ids and log-probabilities for on-policy training, from servers that send them (vLLM's return_token_ids,
// logprobs).
struct token_trace {
  std::vector<int64_t> prompt_ids;
  std::vector<int64_t> ids;
  std::vector<double> logprobs; // of the chosen tokens

  bool empty() const { return prompt_ids.empty() && ids.empty() && logprobs.empty(); }
};

enum class finish_reason : uint8_t { none = 0, stop, length, tool_calls, refused, paused, context_full, other };
std::string to_string(finish_reason r);

// cut: the stream ended without its terminal marker. malformed: the data violates the format. too_large: the reply
// exceeds our limits.
enum class error_origin : uint8_t { none = 0, provider, cut, malformed, too_large };
std::string to_string(error_origin o);

struct reply_error {
  error_origin origin = error_origin::none;
  int status = 0;   // an HTTP status that the error object itself contains; 0 if none
  std::string type; // as the provider sent it
  std::string code;
  std::string message;

  explicit operator bool() const { return origin != error_origin::none; }
};

enum class event_kind : uint8_t { started = 0, text, reasoning, refusal, call, trace, usage, finished, error, done };

// One event of a streamed reply. `done` means that the terminal marker was seen. `done` or `error` comes once and last.
struct event {
  event_kind kind = event_kind::text;
  std::string text;  // text, reasoning, refusal: the next piece; call: the next piece of its arguments
  size_t index = 0;  // call: its number in the reply; a new number begins a new call
  std::string id;    // started: the response's id; call: the call's id, empty if sent before
  std::string name;  // started: the answering model; call: the tool, empty if sent before
  token_trace trace; // the next piece of the trace
  token_counts usage;
  finish_reason finish = finish_reason::none;
  reply_error error;
};

// Returns whether the event carries content. Keep-alives, pings and empty deltas do not.
bool is_content(const event& e);

// A reply, complete or as much of it as arrived.
struct reply {
  std::string id;
  std::string model; // the model that answered
  std::string text;
  std::string reasoning;
  std::string refusal;
  std::vector<tool_call> calls;
  token_trace trace;
  token_counts usage;
  finish_reason finish = finish_reason::none;
  reply_error error;
  bool complete = false;
};
void apply(reply& r, const event& e);

} // namespace kevolve::llm
