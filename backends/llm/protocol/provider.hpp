// Access to a provider: presets for known providers and servers, and the headers of a request.
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
  std::string base_url;        // path_of(wire) is appended
  std::string key_environment; // default environment variable of the key
  bool needs_key = true;
  std::string max_tokens_name = "max_tokens"; // value for request::max_tokens_name
  header_list extra_headers;                  // headers set by the operator
};

// Returns how a kind of provider is asked (runtime/base/provider_kinds.hpp). errc::not_found lists the kinds.
result<provider_access> preset(std::string_view name);

// Returns a request's headers except HTTP's own (host, lengths, connection). The operator's headers replace ours of the
// same name. An empty key sends none. errc::bad_input names a header with invalid characters, one of HTTP's own, or one
// that we must set ourselves.
result<header_list> request_headers(const provider_access& p, std::string_view key, bool stream);

} // namespace kevolve::llm
