// Who is asked, and how: presets for known providers and servers, and the headers of a request.
#pragma once

#include "backends/llm/ledger/waiting.hpp"
#include "backends/llm/protocol/request.hpp"
#include "runtime/base/result.hpp"

#include <string>
#include <string_view>

namespace kevolve::llm {

struct provider_access {
  std::string name;
  wire_format wire = wire_format::openai_chat;
  std::string base_url;        // path_of(wire) comes behind it
  std::string key_environment; // where the key is by default
  bool needs_key = true;
  std::string max_tokens_name = "max_tokens"; // for request::max_tokens_name
  header_list extra_headers;                  // the operator's
};

// Returns how a kind of provider is asked (runtime/base/provider_kinds.hpp). errc::not_found lists the kinds.
result<provider_access> preset(std::string_view name);

// What a request carries beside what HTTP itself needs (host, lengths, connection). The operator's headers replace ours
// of the same name. errc::bad_input names a header that cannot be sent: its characters, or that it is HTTP's or holds
// what we must set. An empty key sends none.
result<header_list> request_headers(const provider_access& p, std::string_view key, bool stream);

} // namespace kevolve::llm
