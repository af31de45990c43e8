// The table of wire formats: what each format's own file implements, and how its requests are addressed and signed.
#pragma once

#include "backends/llm/protocol/decoder.hpp"
#include "runtime/base/provider_kinds.hpp"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace kevolve::llm {

struct wire_entry {
  wire_format format = wire_format::openai_chat;
  std::string_view name;              // in records and tests
  std::string_view path;              // comes behind a provider's base URL
  std::string_view key_header = {};   // carries the key as it is; empty: `authorization` has "Bearer " and the key
  std::string_view version_name = {}; // a header that every request has; empty: none
  std::string_view version = {};      // its value
  bool needs_max_tokens = false;      // no request without a bound on the reply
  std::unique_ptr<decoder> (*make_decoder)() = nullptr;
  ordered_json (*body)(const request& r, const std::vector<ordered_json>& schemas) = nullptr;
  void (*read_reply)(const json& body, std::vector<event>& out) = nullptr;
};

// Returns the entries, one a format.
std::span<const wire_entry> wire_table();
const wire_entry& entry_of(wire_format f);

} // namespace kevolve::llm
