// Vendors' formats: OpenAI Chat Completions, OpenAI Responses, Anthropic Messages. Encoding is deterministic: the same
// request gives the same bytes, and requests that begin alike give bodies that begin alike.
#pragma once

#include "backends/llm/protocol/exchange.hpp"
#include "runtime/base/result.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::llm {

std::string to_string(wire_format f); // openai-chat, openai-responses, anthropic
result<wire_format> parse_wire_format(std::string_view text);

// Appended to a provider's base URL ("https://api.example.com/v1").
std::string_view path_of(wire_format f);

// errc::bad_input: a tool's schema or `extra` is not JSON, `extra` replaces what only we may set, Anthropic without
// max_tokens.
result<std::string> encode_request(wire_format f, const request& r);

struct stream_limits {
  size_t line = size_t{1} << 20;
  size_t event = size_t{4} << 20;
  size_t reply = size_t{8} << 20; // text, reasoning, refusal and arguments together; of a whole reply, its body
  size_t calls = 64;
};

// Decodes one streamed reply as its bytes come, after HTTP's own decoding. Yields at most one of `done` and `error`,
// and nothing after it.
class reply_stream {
public:
  explicit reply_stream(wire_format f, stream_limits limits = {});
  ~reply_stream();
  reply_stream(reply_stream&&) noexcept;
  reply_stream& operator=(reply_stream&&) noexcept;

  // What came with these bytes. Progress is an event that is_content(): a watchdog looks at nothing else.
  std::vector<event> feed(std::string_view bytes);
  // The connection has ended: an error of origin cut unless the terminal marker came.
  std::vector<event> end();
  bool over() const;
  uint64_t keep_alives() const; // comments, pings and empty pieces

private:
  struct state;
  std::unique_ptr<state> state_;
};

// A reply that came whole, as JSON: to be called for a 2xx answer that is no event stream.
reply decode_reply(wire_format f, std::string_view body, const stream_limits& limits = {});

// The error in any body a server may answer with; a body that is not JSON becomes the message. Origin is provider.
reply_error decode_error(std::string_view body);

} // namespace kevolve::llm
