#include "backends/llm/protocol/wire_table.hpp"

#include <array>

namespace kevolve::llm {

namespace {

// In the order of the enumerators.
constexpr auto formats = std::to_array<wire_entry>({
    {.format = wire_format::openai_chat,
     .name = "openai-chat",
     .path = "/chat/completions",
     .make_decoder = make_chat_decoder,
     .body = chat_body,
     .read_reply = read_chat_reply},
    {.format = wire_format::openai_responses,
     .name = "openai-responses",
     .path = "/responses",
     .make_decoder = make_responses_decoder,
     .body = responses_body,
     .read_reply = read_responses_reply},
    {.format = wire_format::anthropic,
     .name = "anthropic",
     .path = "/messages",
     .key_header = "x-api-key",
     .version_name = "anthropic-version",
     .version = "2023-06-01",
     .needs_max_tokens = true,
     .make_decoder = make_anthropic_decoder,
     .body = anthropic_body,
     .read_reply = read_anthropic_reply},
});

constexpr bool is_in_order() {
  for (size_t i = 0; i < formats.size(); ++i)
    if (formats[i].format != static_cast<wire_format>(i) || formats[i].name.empty() || formats[i].body == nullptr)
      return false;
  return true;
}
static_assert(is_in_order(), "each format has its row, in the order of the enumerators");

} // namespace

std::span<const wire_entry> wire_table() {
  return formats;
}

const wire_entry& entry_of(wire_format f) {
  const auto at = static_cast<size_t>(f);
  return formats[at < formats.size() ? at : 0];
}

} // namespace kevolve::llm
