#include "backends/llm/protocol/decoder.hpp"
#include "backends/llm/protocol/plain_text.hpp"
#include "backends/llm/protocol/redaction.hpp"
#include "backends/llm/protocol/wire.hpp"

namespace kevolve::llm {

namespace {

constexpr size_t longest_message = 2'000;

// Some providers repeat the rejected key.
std::string shortened(std::string text) {
  text = plain_text(text);
  if (text.size() > longest_message)
    text = valid_utf8(text.substr(0, longest_message)) + "…";
  return without_key_shapes(text);
}

// FastAPI's detail is a string or a list of the request's errors.
std::string detail_text(const json& detail) {
  if (detail.is_string())
    return detail.get<std::string>();
  std::string out;
  if (detail.is_array())
    for (const auto& one : detail)
      if (auto text = text_of(member(one, "msg")); !text.empty())
        out += (out.empty() ? "" : "; ") + text;
  return out;
}

} // namespace

event text_event(event_kind kind, std::string text) {
  event e;
  e.kind = kind;
  e.text = std::move(text);
  return e;
}

event error_event(error_origin origin, std::string message) {
  event e;
  e.kind = event_kind::error;
  e.error.origin = origin;
  e.error.message = shortened(std::move(message));
  return e;
}

reply_error read_error(const json& x) {
  reply_error out;
  out.origin = error_origin::provider;
  if (x.is_string()) {
    out.message = shortened(x.get<std::string>());
    return out;
  }
  if (x.is_array() && !x.empty()) // Gemini's compatible endpoint sends an array
    return read_error(x[0]);
  if (const auto* inner = member(x, "error"); inner != nullptr && (inner->is_object() || inner->is_string()))
    return read_error(*inner);
  if (const auto* many = member(x, "errors"); many != nullptr && many->is_array() && !many->empty())
    return read_error((*many)[0]);
  out.type = shortened(text_of(member(x, "type")));
  out.code = shortened(text_of(member(x, "code")));
  out.message = shortened(text_of(member(x, "message")));
  if (out.type.empty())
    out.type = shortened(text_of(member(x, "status"))); // Gemini sends for example "RESOURCE_EXHAUSTED"
  if (const auto* detail = member(x, "detail"); out.message.empty() && detail != nullptr)
    out.message = shortened(detail_text(*detail));
  // OpenRouter passes on the upstream provider's message
  if (const auto* metadata = member(x, "metadata"); metadata != nullptr)
    if (auto raw = text_of(member(*metadata, "raw")); !raw.empty())
      out.message = shortened(out.message + " (" + raw + ")");
  constexpr int64_t lowest = 300;
  constexpr int64_t highest = 599;
  for (const char* name : {"code", "status", "status_code"})
    if (const auto number = count_in(&x, name); number && *number >= lowest && *number <= highest)
      out.status = static_cast<int>(*number);
  return out;
}

reply_error decode_error(std::string_view body) {
  constexpr size_t longest_body = size_t{1} << 20;
  if (const auto parsed = parse_json(body.substr(0, longest_body));
      parsed && (parsed->is_object() || parsed->is_array() || parsed->is_string()))
    return read_error(*parsed);
  reply_error out;
  out.origin = error_origin::provider;
  out.message = shortened(std::string{body.substr(0, longest_message)});
  return out;
}

} // namespace kevolve::llm
