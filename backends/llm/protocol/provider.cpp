#include "backends/llm/protocol/provider.hpp"

#include "backends/llm/protocol/wire_table.hpp"
#include "runtime/base/kinds.hpp"
#include "runtime/base/provider_kinds.hpp"

#include <algorithm>

namespace kevolve::llm {

namespace {

// These check RFC 9110's tokens and field values.
bool is_header_name(std::string_view name) {
  constexpr std::string_view signs = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
           || signs.find(c) != std::string_view::npos;
  });
}

bool is_header_value(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return u == '\t' || (u >= 0x20 && u != 0x7F);
  });
}

void put_header(header_list& headers, std::string name, std::string value) {
  for (auto& [key, old] : headers)
    if (const header_list one{{key, ""}}; find_header(one, name) != nullptr) {
      old = std::move(value);
      return;
    }
  headers.emplace_back(std::move(name), std::move(value));
}

} // namespace

result<provider_access> preset(std::string_view name) {
  const auto* k = find_provider_kind(name);
  if (k == nullptr)
    return fail(errc::not_found,
                "no provider preset '" + std::string{name} + "'; there are: " + comma_list(provider_kind_names()));
  provider_access p;
  p.name = k->name;
  p.wire = k->wire;
  p.base_url = k->base_url;
  p.key_environment = k->key_environment;
  p.needs_key = k->needs_key();
  p.max_tokens_name = k->max_tokens_name;
  return p;
}

result<header_list> request_headers(const provider_access& p, std::string_view key, bool stream) {
  header_list out{{"content-type", "application/json"}, {"accept", stream ? "text/event-stream" : "application/json"}};
  // A key read from a file may end with a line feed.
  while (!key.empty() && (key.back() == '\n' || key.back() == '\r' || key.back() == ' '))
    key.remove_suffix(1);
  if (!is_header_value(key))
    return fail(errc::bad_input, "provider " + p.name + ": the key has characters that no header can carry");
  const auto& wire = entry_of(p.wire);
  if (!key.empty() && !wire.key_header.empty())
    out.emplace_back(wire.key_header, key);
  else if (!key.empty())
    out.emplace_back("authorization", "Bearer " + std::string{key});
  if (!wire.version_name.empty())
    out.emplace_back(wire.version_name, wire.version);
  const header_list kept{{"host", ""},
                         {"content-length", ""},
                         {"transfer-encoding", ""},
                         {"connection", ""},
                         {"upgrade", ""},
                         {"te", ""},
                         {"trailer", ""},
                         {"expect", ""},
                         {"content-type", ""},
                         {"proxy-connection", ""}};
  for (const auto& [name, value] : p.extra_headers) {
    if (!is_header_name(name) || !is_header_value(value))
      return fail(errc::bad_input, "provider " + p.name + ": a header cannot have these characters: name or value of "
                                       + (is_header_name(name) ? "'" + name + "'" : std::string{"a nameless one"}));
    if (find_header(kept, name) != nullptr)
      return fail(errc::bad_input, "provider " + p.name + ": header '" + name + "' is not the operator's to set");
    put_header(out, name, value);
  }
  return out;
}

} // namespace kevolve::llm
