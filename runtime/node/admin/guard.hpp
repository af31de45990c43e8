// Who may speak to the admin: a browser that was lured here by another site may not, whatever it sends.
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

// Where to listen. Without TLS only loopback: errc::bad_input names what else was asked for.
struct listen_address {
  std::string host; // "127.0.0.1" | "::1" | any address, with TLS
  uint16_t port = 0;
  bool tls = false;
};
result<listen_address> parse_listen(const std::string& text, bool tls = false);

// "http://127.0.0.1:41234"
std::string url_of(const listen_address& at);

struct request_origin {
  std::string_view host; // headers; empty: absent
  std::string_view origin;
  std::string_view sec_fetch_site;
};

// What a request may call this node: loopback's names, and those given to it.
struct own_names {
  uint16_t port = 0;
  bool tls = false;
  std::vector<std::string> hosts;
};

// Nothing if the request may be looked at: its Host is a name of ours with our port (against DNS rebinding), and
// a browser says it comes from ourselves.
std::optional<problem> refuse_foreign(const request_origin& from, const own_names& ours);
inline std::optional<problem> refuse_foreign(const request_origin& from, uint16_t port) {
  return refuse_foreign(from, own_names{port, false, {}});
}

// Why a request without the node's token is refused; `authorization`: the header's value.
problem refuse_stranger(std::string_view authorization);

// A secret in a URL ends up in logs and histories, so not even the right one is accepted there.
std::optional<problem> refuse_token_in_url(std::string_view target, const token_check& token);

// The target for a log: without its query, printable, bounded, and without the token.
std::string loggable_path(std::string_view target, const token_check& token);

} // namespace kevolve
