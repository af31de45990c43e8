#include "backends/llm/protocol/wire.hpp"

#include "backends/llm/protocol/decoder.hpp"
#include "backends/llm/protocol/sse.hpp"
#include "backends/llm/protocol/wire_table.hpp"
#include "runtime/base/kinds.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kevolve::llm {

namespace {

// Members that `extra` must not replace, because the reply could then not be decoded correctly.
constexpr std::array<std::string_view, 7> kept_members{"model",  "messages", "input",         "instructions",
                                                       "system", "stream",   "stream_options"};

} // namespace

std::string to_string(wire_format f) {
  return std::string{entry_of(f).name};
}

result<wire_format> parse_wire_format(std::string_view text) {
  std::vector<std::string> names;
  for (const auto& w : wire_table()) {
    if (text == w.name)
      return w.format;
    names.emplace_back(w.name);
  }
  return fail(errc::bad_input, "no wire format '" + std::string{text} + "'; there are: " + comma_list(names));
}

std::string_view path_of(wire_format f) {
  return entry_of(f).path;
}

result<std::string> encode_request(wire_format f, const request& r) {
  std::vector<ordered_json> schemas;
  for (const auto& tool : r.tools) {
    schemas.push_back(ordered_json::parse(tool.parameters, nullptr, false));
    if (!schemas.back().is_object())
      return fail(errc::bad_input, "the parameters of tool '" + tool.name + "' are no JSON object");
  }
  const auto& wire = entry_of(f);
  if (wire.needs_max_tokens && !r.max_tokens)
    return fail(errc::bad_input, "max_tokens: the format '" + std::string{wire.name} + "' has no request without it");
  auto body = wire.body(r, schemas);
  if (!r.extra.empty()) {
    const auto extra = ordered_json::parse(r.extra, nullptr, false);
    if (!extra.is_object())
      return fail(errc::bad_input, "the extra members of the request's body are no JSON object");
    for (const auto& [name, value] : extra.items()) {
      if (std::find(kept_members.begin(), kept_members.end(), name) != kept_members.end())
        return fail(errc::bad_input, "extra body member '" + name + "': kevolve sets this one itself");
      body[name] = value;
    }
  }
  return body.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

struct reply_stream::state {
  state(wire_format f, stream_limits l) : limits(l), events({l.line, l.event}), reading(entry_of(f).make_decoder()) {}

  void take(const std::vector<sse_event>& pieces, std::vector<event>& out);
  void keep(std::vector<event>& made, std::vector<event>& out);
  void fail_with(error_origin origin, std::string message, std::vector<event>& out) {
    over = true;
    out.push_back(error_event(origin, std::move(message)));
  }

  stream_limits limits;
  sse_decoder events;
  std::unique_ptr<decoder> reading;
  size_t reply_bytes = 0;
  uint64_t empty_pieces = 0;
  bool over = false;
  bool ended = false; // the bytes have ended: an incomplete event was cut off
};

namespace {

std::string too_many_calls(const stream_limits& limits) {
  return "the reply has more than " + std::to_string(limits.calls) + " tool calls";
}

} // namespace

void reply_stream::state::take(const std::vector<sse_event>& pieces, std::vector<event>& out) {
  for (const auto& piece : pieces) {
    if (over)
      return;
    std::vector<event> made;
    if (piece.data == "[DONE]") {
      reading->take(piece.type, json{}, made);
    } else if (auto data = parse_json(piece.data); data && data->is_object()) {
      reading->take(piece.type, *data, made);
    } else if (piece.type == "error") {
      auto e = error_event(error_origin::provider, piece.data);
      made.push_back(std::move(e));
    } else if (ended) {
      fail_with(error_origin::cut, "the stream ended within an event", out);
      return;
    } else {
      fail_with(error_origin::malformed, "an event's data is no JSON object: " + piece.data.substr(0, 200), out);
      return;
    }
    keep(made, out);
  }
}

void reply_stream::state::keep(std::vector<event>& made, std::vector<event>& out) {
  bool content = false;
  for (auto& e : made) {
    if (over)
      return;
    content = content || is_content(e) || e.kind != event_kind::started;
    reply_bytes += e.text.size() + e.name.size() + e.id.size();
    reply_bytes += sizeof(int64_t) * (e.trace.prompt_ids.size() + e.trace.ids.size() + e.trace.logprobs.size());
    if (reply_bytes > limits.reply) {
      fail_with(error_origin::too_large, "the reply is larger than " + std::to_string(limits.reply) + " bytes", out);
      return;
    }
    if (e.kind == event_kind::call && e.index >= limits.calls) {
      fail_with(error_origin::too_large, too_many_calls(limits), out);
      return;
    }
    over = e.kind == event_kind::done || e.kind == event_kind::error;
    out.push_back(std::move(e));
  }
  if (!content)
    ++empty_pieces;
}

reply_stream::reply_stream(wire_format f, stream_limits limits) : state_(std::make_unique<state>(f, limits)) {}
reply_stream::~reply_stream() = default;
reply_stream::reply_stream(reply_stream&&) noexcept = default;
reply_stream& reply_stream::operator=(reply_stream&&) noexcept = default;

std::vector<event> reply_stream::feed(std::string_view bytes) {
  std::vector<event> out;
  if (state_->over)
    return out;
  std::vector<sse_event> pieces;
  const bool within = state_->events.feed(bytes, pieces);
  state_->take(pieces, out);
  if (!within && !state_->over)
    state_->fail_with(error_origin::too_large, "an event of the stream is larger than our limits", out);
  return out;
}

std::vector<event> reply_stream::end() {
  std::vector<event> out;
  if (state_->over)
    return out;
  state_->ended = true;
  std::vector<sse_event> pieces;
  state_->events.end(pieces);
  state_->take(pieces, out);
  if (!state_->over)
    state_->fail_with(error_origin::cut, "the stream ended before its end mark", out);
  return out;
}

bool reply_stream::over() const {
  return state_->over;
}

uint64_t reply_stream::keep_alives() const {
  return state_->events.comments() + state_->empty_pieces;
}

reply decode_reply(wire_format f, std::string_view body, const stream_limits& limits) {
  std::vector<event> events;
  if (body.size() > limits.reply)
    events.push_back(
        error_event(error_origin::too_large, "the reply is larger than " + std::to_string(limits.reply) + " bytes"));
  else if (const auto parsed = parse_json(body); !parsed || !parsed->is_object())
    events.push_back(error_event(error_origin::malformed, "the reply is no JSON object"));
  else
    entry_of(f).read_reply(*parsed, events);
  reply out;
  for (const auto& e : events) {
    if (e.kind == event_kind::call && e.index >= limits.calls) {
      apply(out, error_event(error_origin::too_large, too_many_calls(limits)));
      break;
    }
    apply(out, e);
  }
  return out;
}

} // namespace kevolve::llm
