// The table of language model services: whose protocol, whose address, whose key. A new service is a line in
// provider_kinds.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::llm {

enum class wire_format : uint8_t { openai_chat = 0, openai_responses, anthropic };

} // namespace kevolve::llm

namespace kevolve {

struct provider_kind {
  std::string_view name; // in a node's settings
  llm::wire_format wire = llm::wire_format::openai_chat;
  std::string_view base_url;                       // the path of the wire format comes behind it
  std::string_view key_environment = {};           // where the key is by default; empty: it needs none
  bool caches_by_key = false;                      // requests may name the cache that they share
  std::string_view max_tokens_name = "max_tokens"; // Chat Completions: the member that bounds a reply

  bool needs_key() const { return !key_environment.empty(); }
};

std::span<const provider_kind> provider_kinds();
// Returns null if there is none of that name.
const provider_kind* find_provider_kind(std::string_view name);
std::vector<std::string> provider_kind_names();

} // namespace kevolve
