// Checks which requests the admin accepts. A browser that another site lured here is refused, whatever it sends.
#pragma once

#include "runtime/base/result.hpp"
#include "runtime/node/admin/problem.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

class token_check;

// The address to listen on. Without TLS only loopback is accepted; errc::bad_input names any other.
struct listen_address {
  std::string host; // "127.0.0.1" | "::1" | any address, with TLS
  uint16_t port = 0;
  bool tls = false;
};
// Parses "address:port".
result<listen_address> parse_listen(const std::string& text, bool tls = false);

// Returns "http://127.0.0.1:41234".
std::string url_of(const listen_address& at);

struct request_origin {
  std::string_view host; // headers; empty: absent
  std::string_view origin;
  std::string_view sec_fetch_site;
};

// The names by which a request may address this node: those of loopback, and those given to it.
struct own_names {
  uint16_t port = 0;
  bool tls = false;
  std::vector<std::string> hosts;
};

// Returns nothing if the request may be processed: its Host is one of our names with our port (against DNS rebinding),
// and a browser says that it comes from our own page.
std::optional<problem> refuse_foreign(const request_origin& from, const own_names& ours);
inline std::optional<problem> refuse_foreign(const request_origin& from, uint16_t port) {
  return refuse_foreign(from, own_names{port, false, {}});
}

// Returns the refusal of a request without the node's token; `authorization` is the header's value.
problem refuse_stranger(std::string_view authorization);

// Refuses a token in a URL, even the right one: URLs end up in logs and histories.
std::optional<problem> refuse_token_in_url(std::string_view target, const token_check& token);

// Returns the target for a log: without its query, printable, bounded, and without the token.
std::string loggable_path(std::string_view target, const token_check& token);

} // namespace kevolve
