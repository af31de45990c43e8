// Anthropic Messages: content blocks that start, grow and stop; cumulative usage.
#include "backends/llm/protocol/decoder.hpp"

#include <map>
#include <utility>

namespace kevolve::llm {

namespace {

finish_reason read_stop(const std::string& word) {
  static const std::map<std::string, finish_reason> words{
      {"end_turn", finish_reason::stop},
      {"stop_sequence", finish_reason::stop},
      {"max_tokens", finish_reason::length},
      {"tool_use", finish_reason::tool_calls},
      {"refusal", finish_reason::refused},
      {"pause_turn", finish_reason::paused},
      {"model_context_window_exceeded", finish_reason::context_full},
  };
  const auto found = words.find(word);
  return found == words.end() ? finish_reason::other : found->second;
}

class anthropic_decoder : public decoder {
public:
  void take(std::string_view type, const json& data, std::vector<event>& out) override {
    if (data.is_null())
      return;
    auto name = text_of(member(data, "type"));
    if (name.empty())
      name = std::string{type};
    if (name == "error" || (name.empty() && member(data, "error") != nullptr))
      put_error(data, out);
    else if (name == "message_start")
      begin(member(data, "message"), out);
    else if (name == "content_block_start")
      begin_block(data, out);
    else if (name == "content_block_delta")
      grow_block(data, out);
    else if (name == "message_delta")
      take_delta(data, out);
    else if (name == "message_stop")
      end(out);
  }

  void begin(const json* message, std::vector<event>& out) {
    if (message == nullptr)
      return;
    event e;
    e.kind = event_kind::started;
    e.id = text_of(member(*message, "id"));
    e.name = text_of(member(*message, "model"));
    out.push_back(std::move(e));
    take_usage(member(*message, "usage"), out);
  }

  void put_block(const json& block, int64_t place, std::vector<event>& out) {
    const auto type = text_of(member(block, "type"));
    if (type == "tool_use") {
      const auto slot = calls_.emplace(place, calls_.size());
      event e;
      e.kind = event_kind::call;
      e.index = slot.first->second;
      e.id = text_of(member(block, "id"));
      e.name = text_of(member(block, "name"));
      // In a stream, the input here is {} and arrives later as text. In a whole reply, it is complete here.
      if (const auto* input = member(block, "input"); input != nullptr && !input->empty())
        e.text = input->dump();
      out.push_back(std::move(e));
    } else if (type == "text") {
      put_text(event_kind::text, text_of(member(block, "text")), out);
    } else if (type == "thinking") {
      put_text(event_kind::reasoning, text_of(member(block, "thinking")), out);
    }
  }

  void take_delta(const json& data, std::vector<event>& out) {
    if (const auto* delta = member(data, "delta"); delta != nullptr)
      take_stop(*delta, out);
    take_usage(member(data, "usage"), out);
  }

  void take_stop(const json& where, std::vector<event>& out) {
    const auto word = text_of(member(where, "stop_reason"));
    if (word.empty())
      return;
    finished_ = true;
    if (word == "refusal") {
      const auto* details = member(where, "stop_details");
      const auto category = details == nullptr ? std::string{} : text_of(member(*details, "category"));
      put_text(event_kind::refusal, category.empty() ? "refused" : "refused: " + category, out);
    }
    out.push_back(finish_event(read_stop(word)));
  }

  // Every figure is the total so far. It replaces the previous one; omitted figures stay.
  void take_usage(const json* usage, std::vector<event>& out) {
    if (usage == nullptr || !usage->is_object())
      return;
    for (const auto& [name, value] : usage->items())
      if (!value.is_null())
        usage_[name] = value;
    out.push_back(usage_event(read_usage(usage_)));
  }

  void end(std::vector<event>& out) {
    if (!finished_) {
      out.push_back(error_event(error_origin::cut, "the message ended without a stop reason"));
      return;
    }
    event e;
    e.kind = event_kind::done;
    out.push_back(std::move(e));
  }

private:
  void begin_block(const json& data, std::vector<event>& out) {
    if (const auto* block = member(data, "content_block"); block != nullptr)
      put_block(*block, count_in(&data, "index").value_or(0), out);
  }

  void grow_block(const json& data, std::vector<event>& out) {
    const auto* delta = member(data, "delta");
    if (delta == nullptr)
      return;
    const auto type = text_of(member(*delta, "type"));
    if (type == "text_delta") {
      put_text(event_kind::text, text_of(member(*delta, "text")), out);
    } else if (type == "thinking_delta") {
      put_text(event_kind::reasoning, text_of(member(*delta, "thinking")), out);
    } else if (type == "input_json_delta") {
      const auto call = calls_.find(count_in(&data, "index").value_or(0));
      if (call == calls_.end())
        return; // belongs to a tool that the server runs itself
      event e = text_event(event_kind::call, text_of(member(*delta, "partial_json")));
      e.index = call->second;
      out.push_back(std::move(e));
    }
  }

  static void put_text(event_kind kind, std::string text, std::vector<event>& out) {
    if (!text.empty())
      out.push_back(text_event(kind, std::move(text)));
  }

  static void put_error(const json& data, std::vector<event>& out) {
    event e;
    e.kind = event_kind::error;
    e.error = read_error(data);
    out.push_back(std::move(e));
  }

  std::map<int64_t, size_t> calls_; // block index → number of the call
  json usage_ = json::object();
  bool finished_ = false;
};

void put_cache_mark(ordered_json& block, bool cached) {
  if (cached)
    block["cache_control"] = {{"type", "ephemeral"}};
}

ordered_json text_block(const std::string& text, bool cached) {
  ordered_json out{{"type", "text"}, {"text", text}};
  put_cache_mark(out, cached);
  return out;
}

// Tool results are blocks of the user; the results of one turn belong in one message.
void put_message(const message& m, ordered_json& messages) {
  auto blocks = ordered_json::array();
  if (m.from == speaker::tool) {
    blocks.push_back({{"type", "tool_result"}, {"tool_use_id", m.call_id}, {"content", m.text}});
    put_cache_mark(blocks.back(), m.cache_to_here);
  } else if (!m.text.empty()) // the API rejects empty text blocks
    blocks.push_back(text_block(m.text, m.cache_to_here));
  for (const auto& c : m.calls) {
    auto input = ordered_json::parse(c.arguments, nullptr, false);
    blocks.push_back({{"type", "tool_use"},
                      {"id", c.id},
                      {"name", c.name},
                      {"input", input.is_object() ? std::move(input) : ordered_json::object()}});
  }
  const std::string role = m.from == speaker::assistant ? "assistant" : "user";
  if (!messages.empty() && messages.back()["role"] == role) {
    for (auto& b : blocks)
      messages.back()["content"].push_back(std::move(b));
    return;
  }
  messages.push_back({{"role", role}, {"content", std::move(blocks)}});
}

} // namespace

std::unique_ptr<decoder> make_anthropic_decoder() {
  return std::make_unique<anthropic_decoder>();
}

void read_anthropic_reply(const json& body, std::vector<event>& out) {
  anthropic_decoder reading;
  if (text_of(member(body, "type")) == "error" || member(body, "error") != nullptr) {
    reading.take("error", body, out);
    return;
  }
  const auto* content = member(body, "content");
  if (content == nullptr || !content->is_array()) {
    out.push_back(error_event(error_origin::malformed, "the reply has no content"));
    return;
  }
  reading.begin(&body, out);
  int64_t place = 0;
  for (const auto& block : *content)
    reading.put_block(block, place++, out);
  reading.take_stop(body, out);
  reading.end(out);
}

ordered_json anthropic_body(const request& r, const std::vector<ordered_json>& schemas) {
  ordered_json body{{"model", r.model}};
  auto tools = ordered_json::array();
  for (size_t i = 0; i < r.tools.size(); ++i)
    tools.push_back({{"name", r.tools[i].name}, {"description", r.tools[i].description}, {"input_schema", schemas[i]}});
  if (!tools.empty())
    body["tools"] = std::move(tools);
  if (!r.system.empty()) {
    body["system"] = ordered_json::array();
    body["system"].push_back(text_block(r.system, r.cache_system));
  }
  auto messages = ordered_json::array();
  for (const auto& m : r.messages)
    put_message(m, messages);
  body["messages"] = std::move(messages);
  body["max_tokens"] = *r.max_tokens;
  put_sampling(body, r);
  return body;
}

} // namespace kevolve::llm
