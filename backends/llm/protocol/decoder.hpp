// The functions that each vendor's format implements in its own file, behind reply_stream and encode_request.
#pragma once

#include "backends/llm/protocol/exchange.hpp"
#include "backends/llm/protocol/json_reader.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::llm {

using ordered_json = nlohmann::ordered_json;

// Decodes the events of one streamed reply. It knows nothing of SSE, of cut connections or of data after the end.
class decoder {
public:
  virtual ~decoder() = default;
  // Decodes one event. `type` is the SSE event's type and `data` its parsed data; `[DONE]` comes as null.
  virtual void take(std::string_view type, const json& data, std::vector<event>& out) = 0;
};

std::unique_ptr<decoder> make_chat_decoder();
std::unique_ptr<decoder> make_responses_decoder();
std::unique_ptr<decoder> make_anthropic_decoder();

// These convert a whole reply's JSON to events; the last is `done` or `error`.
void read_chat_reply(const json& body, std::vector<event>& out);
void read_responses_reply(const json& body, std::vector<event>& out);
void read_anthropic_reply(const json& body, std::vector<event>& out);

// These encode a request without `extra`. `schemas` are the parsed tool schemas in the order of the request's tools.
ordered_json chat_body(const request& r, const std::vector<ordered_json>& schemas);
ordered_json responses_body(const request& r, const std::vector<ordered_json>& schemas);
ordered_json anthropic_body(const request& r, const std::vector<ordered_json>& schemas);

// Writes the members that all three formats name alike: temperature, top_p, stream.
void put_sampling(ordered_json& body, const request& r);

// Reads an error object in any of the forms in use.
reply_error read_error(const json& x);
// Reads a vendor's `usage` object. There is one reader for all vendors, since compatible servers mix the names.
token_counts read_usage(const json& x);

event text_event(event_kind kind, std::string text);
event error_event(error_origin origin, std::string message);
inline event finish_event(finish_reason why) {
  event e;
  e.kind = event_kind::finished;
  e.finish = why;
  return e;
}
inline event usage_event(token_counts counts) {
  event e;
  e.kind = event_kind::usage;
  e.usage = std::move(counts);
  return e;
}

} // namespace kevolve::llm
