#include "runtime/base/provider_kinds.hpp"

#include <algorithm>
#include <array>

namespace kevolve {

namespace {

using llm::wire_format;

constexpr auto kinds = std::to_array<provider_kind>({
    {.name = "openai",
     .wire = wire_format::openai_responses,
     .base_url = "https://api.openai.com/v1",
     .key_environment = "OPENAI_API_KEY",
     .caches_by_key = true},
    {.name = "openai-chat",
     .base_url = "https://api.openai.com/v1",
     .key_environment = "OPENAI_API_KEY",
     .caches_by_key = true,
     .max_tokens_name = "max_completion_tokens"},
    {.name = "anthropic",
     .wire = wire_format::anthropic,
     .base_url = "https://api.anthropic.com/v1",
     .key_environment = "ANTHROPIC_API_KEY"},
    {.name = "gemini",
     .base_url = "https://generativelanguage.googleapis.com/v1beta/openai",
     .key_environment = "GEMINI_API_KEY"},
    {.name = "deepseek", .base_url = "https://api.deepseek.com/v1", .key_environment = "DEEPSEEK_API_KEY"},
    {.name = "openrouter", .base_url = "https://openrouter.ai/api/v1", .key_environment = "OPENROUTER_API_KEY"},
    // Servers on this machine.
    {.name = "vllm", .base_url = "http://127.0.0.1:8000/v1"},
    {.name = "sglang", .base_url = "http://127.0.0.1:30000/v1"},
    {.name = "llama.cpp", .base_url = "http://127.0.0.1:8080/v1"},
    {.name = "ollama", .base_url = "http://127.0.0.1:11434/v1"},
});

} // namespace

std::span<const provider_kind> provider_kinds() {
  return kinds;
}

const provider_kind* find_provider_kind(std::string_view name) {
  const auto* found = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.name == name; });
  return found == kinds.end() ? nullptr : found;
}

std::vector<std::string> provider_kind_names() {
  std::vector<std::string> out;
  for (const auto& k : kinds)
    out.emplace_back(k.name);
  return out;
}

} // namespace kevolve
