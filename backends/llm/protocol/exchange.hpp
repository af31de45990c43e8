// What a language model answers, whatever the vendor: piece by piece, and the reply whole. Plain values; wire.hpp makes
// them of a vendor's bytes.
#pragma once

#include "backends/llm/protocol/request.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::llm {

// Tokens, with one meaning for all vendors. Unknown is null, never zero.
struct token_counts {
  std::optional<int64_t> input; // everything, cached or not
  std::optional<int64_t> cached_read;
  std::optional<int64_t> cache_write;    // all of it
  std::optional<int64_t> cache_write_1h; // of these, kept for an hour: dearer
  std::optional<int64_t> output;         // reasoning included
  std::optional<int64_t> reasoning;
  std::string service_tier; // as answered: it has a price of its own

  bool operator==(const token_counts&) const = default;
};

// What training on-policy needs, from servers that give it: vLLM's return_token_ids, logprobs.
struct token_trace {
  std::vector<int64_t> prompt_ids;
  std::vector<int64_t> ids;
  std::vector<double> logprobs; // of the tokens chosen

  bool empty() const { return prompt_ids.empty() && ids.empty() && logprobs.empty(); }
};

enum class finish_reason : uint8_t { none = 0, stop, length, tool_calls, refused, paused, context_full, other };
std::string to_string(finish_reason r);

// cut: the stream ended without its terminal marker. malformed: not what the format says. too_large: past our limits.
enum class error_origin : uint8_t { none = 0, provider, cut, malformed, too_large };
std::string to_string(error_origin o);

struct reply_error {
  error_origin origin = error_origin::none;
  int status = 0;   // an HTTP status that the error itself names
  std::string type; // the provider's words
  std::string code;
  std::string message;

  explicit operator bool() const { return origin != error_origin::none; }
};

enum class event_kind : uint8_t { started = 0, text, reasoning, refusal, call, trace, usage, finished, error, done };

// One piece of a streamed reply. `done`: the terminal marker was seen; it comes once and last, as does `error`.
struct event {
  event_kind kind = event_kind::text;
  std::string text;  // text, reasoning, refusal: more of it. call: more of the arguments
  size_t index = 0;  // call: which; a new index begins a new call
  std::string id;    // started: of the response. call: of the call, empty if named before
  std::string name;  // started: the model that answers. call: of the tool, empty if named before
  token_trace trace; // more of it
  token_counts usage;
  finish_reason finish = finish_reason::none;
  reply_error error;
};

// Something a person would call progress. Keep-alives, pings and empty deltas are not.
bool is_content(const event& e);

// A reply, as far as it came.
struct reply {
  std::string id;
  std::string model; // as answered
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
