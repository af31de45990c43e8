// Encodes requests and decodes replies in the vendors' formats: OpenAI Chat Completions, OpenAI Responses, Anthropic
// Messages. Encoding is deterministic, and requests with a common prefix give bodies with a common prefix.
#pragma once

#include "backends/llm/protocol/exchange.hpp"
#include "runtime/base/result.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::llm {

std::string to_string(wire_format f); // "openai-chat", "openai-responses" or "anthropic"
result<wire_format> parse_wire_format(std::string_view text);

// Returns the path to append to a provider's base URL ("https://api.example.com/v1").
std::string_view path_of(wire_format f);

// Returns the request's body. errc::bad_input: a tool's schema or `extra` is not JSON, `extra` replaces a reserved
// member, or Anthropic is asked without max_tokens.
result<std::string> encode_request(wire_format f, const request& r);

struct stream_limits {
  size_t line = size_t{1} << 20;
  size_t event = size_t{4} << 20;
  // Bytes of text, reasoning, refusal and arguments together; for a whole reply, of its body.
  size_t reply = size_t{8} << 20;
  size_t calls = 64;
};

// Decodes one streamed reply incrementally, after HTTP's own decoding. Yields at most one of `done` and `error`, and
// nothing after it.
class reply_stream {
public:
  explicit reply_stream(wire_format f, stream_limits limits = {});
  ~reply_stream();
  reply_stream(reply_stream&&) noexcept;
  reply_stream& operator=(reply_stream&&) noexcept;

  // Decodes these bytes and returns the events. Only events with is_content() count as progress.
  std::vector<event> feed(std::string_view bytes);
  // Reports the end of the connection. Returns an error of origin cut unless the terminal marker came.
  std::vector<event> end();
  bool over() const;
  uint64_t keep_alives() const; // comments, pings and empty pieces

private:
  struct state;
  std::unique_ptr<state> state_;
};

// Decodes a whole reply in JSON: the body of a 2xx answer that is no event stream.
reply decode_reply(wire_format f, std::string_view body, const stream_limits& limits = {});

// Reads the error in any body that a server may answer with. A body that is not JSON becomes the message. The origin is
// provider.
reply_error decode_error(std::string_view body);

} // namespace kevolve::llm
