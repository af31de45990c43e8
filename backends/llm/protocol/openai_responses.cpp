// OpenAI Responses: typed events that carry their type in their data.
#include "backends/llm/protocol/decoder.hpp"

#include <map>
#include <utility>

namespace kevolve::llm {

namespace {

class responses_decoder : public decoder {
public:
  void take(std::string_view type, const json& data, std::vector<event>& out) override {
    if (data.is_null()) // compatible servers also end with [DONE]; it carries no information
      return;
    auto name = text_of(member(data, "type"));
    if (name.empty())
      name = std::string{type};
    if (name == "error" || (name.empty() && member(data, "error") != nullptr)) {
      put_error(data, out);
    } else if (name == "response.created") {
      begin(member(data, "response"), out);
    } else if (name == "response.output_text.delta") {
      put_text(event_kind::text, data, out);
    } else if (name == "response.refusal.delta") {
      refused_ = true;
      put_text(event_kind::refusal, data, out);
    } else if (name == "response.reasoning_summary_text.delta" || name == "response.reasoning_text.delta") {
      put_text(event_kind::reasoning, data, out);
    } else if (name == "response.output_item.added") {
      if (const auto* item = member(data, "item"); item != nullptr && text_of(member(*item, "type")) == "function_call")
        put_call(*item, count_in(&data, "output_index"), out);
    } else if (name == "response.function_call_arguments.delta") {
      put_arguments(data, out);
    } else if (name == "response.completed" || name == "response.incomplete" || name == "response.failed"
               || name == "response.cancelled") {
      end(member(data, "response"), name.substr(name.find('.') + 1), out);
    }
  }

  // `status` comes from the response object or from the event that contained it.
  void end(const json* response, std::string status, std::vector<event>& out) {
    if (response == nullptr) {
      out.push_back(error_event(error_origin::malformed, "the end of the stream brings no response"));
      return;
    }
    begin(response, out);
    if (auto own = text_of(member(*response, "status")); !own.empty())
      status = std::move(own);
    if (const auto* usage = member(*response, "usage"); usage != nullptr) {
      auto counts = read_usage(*usage);
      counts.service_tier = text_of(member(*response, "service_tier"));
      out.push_back(usage_event(std::move(counts)));
    }
    if (status == "failed" || status == "cancelled") {
      if (member(*response, "error") != nullptr)
        put_error(*response, out);
      else
        out.push_back(error_event(error_origin::provider, "the response's status is " + status));
      return;
    }
    if (status != "completed" && status != "incomplete") {
      out.push_back(error_event(error_origin::malformed, "the response ended with the status '" + status + "'"));
      return;
    }
    if (!seen_output_)
      take_output(*response, out); // some servers stream only the end
    out.push_back(finish_event(why(*response, status)));
    event e;
    e.kind = event_kind::done;
    out.push_back(std::move(e));
  }

private:
  finish_reason why(const json& response, const std::string& status) const {
    if (status == "incomplete") {
      const auto* details = member(response, "incomplete_details");
      const auto reason = details == nullptr ? std::string{} : text_of(member(*details, "reason"));
      return reason == "max_output_tokens" ? finish_reason::length
             : reason == "content_filter"  ? finish_reason::refused
                                           : finish_reason::other;
    }
    return refused_ ? finish_reason::refused : calls_.empty() ? finish_reason::stop : finish_reason::tool_calls;
  }

  void begin(const json* response, std::vector<event>& out) {
    if (begun_ || response == nullptr)
      return;
    begun_ = true;
    event e;
    e.kind = event_kind::started;
    e.id = text_of(member(*response, "id"));
    e.name = text_of(member(*response, "model"));
    out.push_back(std::move(e));
  }

  void put_text(event_kind kind, const json& data, std::vector<event>& out) {
    const auto* delta = member(data, "delta");
    if (delta == nullptr || !delta->is_string() || delta->get_ref<const std::string&>().empty())
      return;
    seen_output_ = seen_output_ || kind != event_kind::reasoning;
    out.push_back(text_event(kind, text_of(delta)));
  }

  void put_call(const json& item, std::optional<int64_t> place, std::vector<event>& out) {
    const auto slot = calls_.emplace(place.value_or(static_cast<int64_t>(calls_.size())), calls_.size());
    event e;
    e.kind = event_kind::call;
    e.index = slot.first->second;
    e.id = text_of(member(item, "call_id"));
    e.name = text_of(member(item, "name"));
    e.text = text_of(member(item, "arguments")); // empty while streaming
    seen_output_ = true;
    out.push_back(std::move(e));
  }

  void put_arguments(const json& data, std::vector<event>& out) {
    const auto call = calls_.find(count_in(&data, "output_index").value_or(0));
    if (call == calls_.end()) {
      out.push_back(error_event(error_origin::malformed, "arguments of a tool call that was not announced"));
      return;
    }
    event e = text_event(event_kind::call, text_of(member(data, "delta")));
    e.index = call->second;
    out.push_back(std::move(e));
  }

  void put_error(const json& data, std::vector<event>& out) {
    event e;
    e.kind = event_kind::error;
    e.error = read_error(data);
    out.push_back(std::move(e));
  }

  void take_output(const json& response, std::vector<event>& out) {
    const auto* items = member(response, "output");
    if (items == nullptr || !items->is_array())
      return;
    for (const auto& item : *items) {
      const auto type = text_of(member(item, "type"));
      if (type == "function_call")
        put_call(item, std::nullopt, out);
      const auto* parts = member(item, type == "reasoning" ? "summary" : "content");
      if (parts == nullptr || !parts->is_array())
        continue;
      for (const auto& part : *parts) {
        const auto* refusal = member(part, "refusal");
        refused_ = refused_ || refusal != nullptr;
        const auto kind = type == "reasoning"  ? event_kind::reasoning
                          : refusal != nullptr ? event_kind::refusal
                                               : event_kind::text;
        if (auto text = text_of(refusal != nullptr ? refusal : member(part, "text")); !text.empty())
          out.push_back(text_event(kind, std::move(text)));
      }
    }
  }

  std::map<int64_t, size_t> calls_; // output_index → number of the call
  bool begun_ = false;
  bool refused_ = false;
  bool seen_output_ = false;
};

void put_message(const message& m, ordered_json& input) {
  if (m.from == speaker::tool) {
    input.push_back({{"type", "function_call_output"}, {"call_id", m.call_id}, {"output", m.text}});
    return;
  }
  const bool user = m.from == speaker::user;
  if (!m.text.empty() || m.calls.empty()) {
    auto parts = ordered_json::array();
    parts.push_back({{"type", user ? "input_text" : "output_text"}, {"text", m.text}});
    input.push_back({{"role", user ? "user" : "assistant"}, {"content", std::move(parts)}});
  }
  for (const auto& c : m.calls)
    input.push_back({{"type", "function_call"}, {"call_id", c.id}, {"name", c.name}, {"arguments", c.arguments}});
}

} // namespace

std::unique_ptr<decoder> make_responses_decoder() {
  return std::make_unique<responses_decoder>();
}

void read_responses_reply(const json& body, std::vector<event>& out) {
  if (member(body, "error") != nullptr && member(body, "output") == nullptr) {
    event e;
    e.kind = event_kind::error;
    e.error = read_error(body);
    out.push_back(std::move(e));
    return;
  }
  responses_decoder{}.end(&body, {}, out);
}

ordered_json responses_body(const request& r, const std::vector<ordered_json>& schemas) {
  ordered_json body{{"model", r.model}};
  auto tools = ordered_json::array();
  for (size_t i = 0; i < r.tools.size(); ++i)
    tools.push_back({{"type", "function"},
                     {"name", r.tools[i].name},
                     {"description", r.tools[i].description},
                     {"parameters", schemas[i]}});
  if (!tools.empty())
    body["tools"] = std::move(tools);
  if (!r.system.empty())
    body["instructions"] = r.system;
  auto input = ordered_json::array();
  for (const auto& m : r.messages)
    put_message(m, input);
  body["input"] = std::move(input);
  if (r.max_tokens)
    body["max_output_tokens"] = *r.max_tokens;
  put_sampling(body, r);
  body["store"] = false; // we keep our own record
  if (!r.cache_key.empty())
    body["prompt_cache_key"] = r.cache_key;
  return body;
}

} // namespace kevolve::llm
