// OpenAI Chat Completions, including the variants of compatible servers.
#include "backends/llm/protocol/decoder.hpp"

#include <map>
#include <utility>

namespace kevolve::llm {

namespace {

finish_reason read_finish(const std::string& word) {
  static const std::map<std::string, finish_reason> words{
      {"stop", finish_reason::stop},
      {"eos", finish_reason::stop},
      {"end_turn", finish_reason::stop},
      {"length", finish_reason::length},
      {"max_tokens", finish_reason::length},
      {"tool_calls", finish_reason::tool_calls},
      {"function_call", finish_reason::tool_calls},
      {"content_filter", finish_reason::refused},
      {"refusal", finish_reason::refused},
  };
  const auto found = words.find(word);
  return found == words.end() ? finish_reason::other : found->second;
}

// The content is a string or, with some servers, a list of parts.
std::string content_text(const json* content) {
  if (content == nullptr || !content->is_array())
    return content != nullptr && content->is_string() ? text_of(content) : std::string{};
  std::string out;
  for (const auto& part : *content)
    if (const auto* text = member(part, "text"); text != nullptr && text->is_string())
      out += text_of(text);
  return out;
}

std::string argument_text(const json* arguments) {
  if (arguments == nullptr)
    return {};
  return arguments->is_string() ? text_of(arguments) : arguments->dump(); // some servers send the object itself
}

std::vector<int64_t> numbers_in(const json* list) {
  std::vector<int64_t> out;
  if (list != nullptr && list->is_array())
    for (const auto& one : *list)
      if (const auto value = count_of(&one))
        out.push_back(*value);
  return out;
}

token_trace trace_of(const json& choice) {
  token_trace out;
  out.ids = numbers_in(member(choice, "token_ids"));
  const auto* logprobs = member(choice, "logprobs");
  const auto* content = logprobs == nullptr ? nullptr : member(*logprobs, "content");
  if (content != nullptr && content->is_array())
    for (const auto& token : *content)
      if (const auto* value = member(token, "logprob"); value != nullptr && value->is_number())
        out.logprobs.push_back(value->get<double>());
  return out;
}

void put_trace(token_trace trace, std::vector<event>& out) {
  if (trace.empty())
    return;
  event e;
  e.kind = event_kind::trace;
  e.trace = std::move(trace);
  out.push_back(std::move(e));
}

class chat_decoder : public decoder {
public:
  void take(std::string_view type, const json& data, std::vector<event>& out) override {
    if (data.is_null()) {
      end(out);
      return;
    }
    const auto* error = member(data, "error");
    if (type == "error" || error != nullptr || text_of(member(data, "object")) == "error") {
      event e;
      e.kind = event_kind::error;
      e.error = read_error(data);
      out.push_back(std::move(e));
      return;
    }
    begin(data, out);
    token_trace of_prompt;
    of_prompt.prompt_ids = numbers_in(member(data, "prompt_token_ids"));
    put_trace(std::move(of_prompt), out);
    if (const auto* choices = member(data, "choices"); choices != nullptr && choices->is_array())
      for (const auto& choice : *choices)
        if (count_in(&choice, "index").value_or(0) == 0)
          take_choice(choice, "delta", out);
    if (const auto* usage = member(data, "usage"); usage != nullptr && usage->is_object()) {
      auto counts = read_usage(*usage);
      if (counts.service_tier.empty())
        counts.service_tier = tier_;
      out.push_back(usage_event(std::move(counts)));
    }
  }

  void begin(const json& data, std::vector<event>& out) {
    if (auto tier = text_of(member(data, "service_tier")); !tier.empty())
      tier_ = std::move(tier);
    if (begun_)
      return;
    event e;
    e.kind = event_kind::started;
    e.id = text_of(member(data, "id"));
    e.name = text_of(member(data, "model"));
    begun_ = !e.name.empty() || !e.id.empty();
    if (begun_)
      out.push_back(std::move(e));
  }

  void take_choice(const json& choice, const char* where, std::vector<event>& out) {
    if (const auto* delta = member(choice, where); delta != nullptr) {
      put_text(event_kind::reasoning, text_of(member(*delta, "reasoning_content")), out);
      if (const auto* reasoning = member(*delta, "reasoning"); reasoning != nullptr && reasoning->is_string())
        put_text(event_kind::reasoning, text_of(reasoning), out);
      put_text(event_kind::text, content_text(member(*delta, "content")), out);
      put_text(event_kind::refusal, text_of(member(*delta, "refusal")), out);
      if (const auto* calls = member(*delta, "tool_calls"); calls != nullptr && calls->is_array())
        for (const auto& call : *calls)
          take_call(call, out);
    }
    put_trace(trace_of(choice), out);
    const auto finish = text_of(member(choice, "finish_reason"));
    if (finish.empty())
      return;
    finished_ = true;
    if (finish == "error") { // OpenRouter: the upstream provider failed
      out.push_back(error_event(error_origin::provider, "the provider behind this one failed"));
      return;
    }
    out.push_back(finish_event(refused_ ? finish_reason::refused : read_finish(finish)));
  }

  void end(std::vector<event>& out) {
    if (!finished_) {
      out.push_back(error_event(error_origin::cut, "the stream ended without a finish reason"));
      return;
    }
    event e;
    e.kind = event_kind::done;
    out.push_back(std::move(e));
  }

private:
  void put_text(event_kind kind, std::string text, std::vector<event>& out) {
    if (text.empty())
      return;
    refused_ = refused_ || kind == event_kind::refusal;
    out.push_back(text_event(kind, std::move(text)));
  }

  // Calls are distinguished by `index`. Servers that omit it begin a new call with each new id.
  void take_call(const json& call, std::vector<event>& out) {
    event e;
    e.kind = event_kind::call;
    e.id = text_of(member(call, "id"));
    if (const auto index = count_in(&call, "index"))
      e.index = slot_of(*index);
    else
      e.index = e.id.empty() && !ids_.empty() ? ids_.size() - 1 : slot_of_id(e.id);
    if (const auto* function = member(call, "function"); function != nullptr) {
      e.name = text_of(member(*function, "name"));
      e.text = argument_text(member(*function, "arguments"));
    }
    out.push_back(std::move(e));
  }

  // Indices may have gaps, and a hostile server may send huge ones. Calls are numbered in order of appearance.
  size_t slot_of(int64_t index) {
    const auto found = slots_.emplace(index, ids_.size());
    if (found.second)
      ids_.emplace_back();
    return found.first->second;
  }
  size_t slot_of_id(const std::string& id) {
    const auto found = slots_by_id_.emplace(id, ids_.size());
    if (found.second)
      ids_.push_back(id);
    return found.first->second;
  }

  std::map<int64_t, size_t> slots_;
  std::map<std::string, size_t> slots_by_id_;
  std::vector<std::string> ids_;
  std::string tier_;
  bool begun_ = false;
  bool finished_ = false;
  bool refused_ = false;
};

ordered_json call_json(const tool_call& c) {
  return {{"id", c.id}, {"type", "function"}, {"function", {{"name", c.name}, {"arguments", c.arguments}}}};
}

} // namespace

std::unique_ptr<decoder> make_chat_decoder() {
  return std::make_unique<chat_decoder>();
}

void read_chat_reply(const json& body, std::vector<event>& out) {
  chat_decoder reading;
  const auto* choices = member(body, "choices");
  const auto* first = element(choices, 0);
  if (member(body, "error") == nullptr && first == nullptr) {
    out.push_back(error_event(error_origin::malformed, "the reply has no choices"));
    return;
  }
  // A whole reply has the member `message` where a chunk has `delta`.
  json chunk = body;
  if (first != nullptr)
    chunk["choices"] = json::array();
  reading.take({}, chunk, out);
  if (!out.empty() && out.back().kind == event_kind::error)
    return;
  reading.take_choice(*first, "message", out);
  if (out.empty() || out.back().kind != event_kind::error)
    reading.end(out);
}

void put_sampling(ordered_json& body, const request& r) {
  if (r.temperature)
    body["temperature"] = *r.temperature;
  if (r.top_p)
    body["top_p"] = *r.top_p;
  body["stream"] = r.stream;
}

ordered_json chat_body(const request& r, const std::vector<ordered_json>& schemas) {
  ordered_json body{{"model", r.model}};
  auto tools = ordered_json::array();
  for (size_t i = 0; i < r.tools.size(); ++i)
    tools.push_back(
        {{"type", "function"},
         {"function",
          {{"name", r.tools[i].name}, {"description", r.tools[i].description}, {"parameters", schemas[i]}}}});
  if (!tools.empty())
    body["tools"] = std::move(tools);
  auto messages = ordered_json::array();
  if (!r.system.empty())
    messages.push_back({{"role", "system"}, {"content", r.system}});
  for (const auto& m : r.messages) {
    if (m.from == speaker::tool) {
      messages.push_back({{"role", "tool"}, {"tool_call_id", m.call_id}, {"content", m.text}});
      continue;
    }
    ordered_json one{{"role", m.from == speaker::user ? "user" : "assistant"}, {"content", m.text}};
    if (!m.calls.empty()) {
      one["tool_calls"] = ordered_json::array();
      for (const auto& c : m.calls)
        one["tool_calls"].push_back(call_json(c));
    }
    messages.push_back(std::move(one));
  }
  body["messages"] = std::move(messages);
  if (r.max_tokens)
    body[r.max_tokens_name] = *r.max_tokens;
  put_sampling(body, r);
  if (r.seed)
    body["seed"] = *r.seed;
  if (r.stream && r.ask_usage)
    body["stream_options"] = {{"include_usage", true}};
  if (!r.cache_key.empty())
    body["prompt_cache_key"] = r.cache_key;
  return body;
}

} // namespace kevolve::llm
