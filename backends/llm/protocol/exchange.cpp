#include "backends/llm/protocol/exchange.hpp"

#include <algorithm>

namespace kevolve::llm {

std::string to_string(finish_reason r) {
  switch (r) {
    case finish_reason::none:
      return "none";
    case finish_reason::stop:
      return "stop";
    case finish_reason::length:
      return "length";
    case finish_reason::tool_calls:
      return "tool_calls";
    case finish_reason::refused:
      return "refused";
    case finish_reason::paused:
      return "paused";
    case finish_reason::context_full:
      return "context_full";
    case finish_reason::other:
      return "other";
  }
  return "other";
}

std::string to_string(error_origin o) {
  switch (o) {
    case error_origin::none:
      return "none";
    case error_origin::provider:
      return "provider";
    case error_origin::cut:
      return "cut";
    case error_origin::malformed:
      return "malformed";
    case error_origin::too_large:
      return "too_large";
  }
  return "none";
}

bool is_content(const event& e) {
  switch (e.kind) {
    case event_kind::text:
    case event_kind::reasoning:
    case event_kind::refusal:
      return !e.text.empty();
    case event_kind::call:
      return !e.text.empty() || !e.name.empty();
    default:
      return false;
  }
}

namespace {

constexpr size_t longest_name = 256; // bytes of a model's name, an id or a tier

// The counts of one reply only grow; a smaller one is ignored.
token_counts larger(const token_counts& before, token_counts now) {
  const auto keep = [](std::optional<int64_t>& x, const std::optional<int64_t>& old) {
    if (old)
      x = std::max(*old, x.value_or(0));
  };
  keep(now.input, before.input);
  keep(now.output, before.output);
  keep(now.reasoning, before.reasoning);
  now.service_tier = now.service_tier.empty() ? before.service_tier : now.service_tier.substr(0, longest_name);
  return now;
}

} // namespace

void apply(reply& r, const event& e) {
  switch (e.kind) {
    case event_kind::started:
      if (!e.id.empty())
        r.id = e.id.substr(0, longest_name);
      if (!e.name.empty())
        r.model = e.name.substr(0, longest_name);
      break;
    case event_kind::text:
      r.text += e.text;
      break;
    case event_kind::reasoning:
      r.reasoning += e.text;
      break;
    case event_kind::refusal:
      r.refusal += e.text;
      break;
    case event_kind::call: {
      if (e.index >= r.calls.size())
        r.calls.resize(e.index + 1);
      auto& c = r.calls[e.index];
      if (c.id.empty())
        c.id = e.id;
      if (c.name.empty())
        c.name = e.name;
      c.arguments += e.text;
      break;
    }
    case event_kind::trace: {
      const auto append = [](auto& to, const auto& more) { to.insert(to.end(), more.begin(), more.end()); };
      append(r.trace.prompt_ids, e.trace.prompt_ids);
      append(r.trace.ids, e.trace.ids);
      append(r.trace.logprobs, e.trace.logprobs);
      break;
    }
    case event_kind::usage:
      r.usage = larger(r.usage, e.usage);
      break;
    case event_kind::finished:
      r.finish = e.finish;
      break;
    case event_kind::error:
      r.error = e.error;
      break;
    case event_kind::done:
      r.complete = true;
      break;
  }
}

} // namespace kevolve::llm
