#include "backends/llm/protocol/decoder.hpp"

namespace kevolve::llm {

namespace {

std::optional<int64_t> first_of(std::optional<int64_t> a, std::optional<int64_t> b) {
  return a ? a : b;
}

} // namespace

// Anthropic's `input_tokens` excludes cached tokens, OpenAI's includes them. Anthropic's own members beside it
// distinguish the two.
token_counts read_usage(const json& x) {
  token_counts out;
  const auto created = count_in(&x, "cache_creation_input_tokens");
  const auto read = count_in(&x, "cache_read_input_tokens");
  const auto* input_details = member(x, "input_tokens_details");
  if (input_details == nullptr)
    input_details = member(x, "prompt_tokens_details");
  const auto* output_details = member(x, "output_tokens_details");
  if (output_details == nullptr)
    output_details = member(x, "completion_tokens_details");
  out.input = first_of(count_in(&x, "prompt_tokens"), count_in(&x, "input_tokens"));
  out.output = first_of(count_in(&x, "completion_tokens"), count_in(&x, "output_tokens"));
  out.reasoning = first_of(count_in(output_details, "reasoning_tokens"), count_in(output_details, "thinking_tokens"));
  out.service_tier = text_of(member(x, "service_tier"));
  if (created || read) {
    out.cached_read = read;
    out.cache_write = created;
    if (const auto* lives = member(x, "cache_creation"); lives != nullptr)
      out.cache_write_1h = count_in(lives, "ephemeral_1h_input_tokens");
    if (out.input)
      *out.input += created.value_or(0) + read.value_or(0);
    return out;
  }
  out.cached_read = first_of(count_in(input_details, "cached_tokens"), count_in(&x, "prompt_cache_hit_tokens"));
  out.cache_write = count_in(input_details, "cache_write_tokens");
  return out;
}

} // namespace kevolve::llm
