// Who may speak to the admin: a browser that was lured here by another site may not, whatever it sends.
#pragma once

#include "runtime/base/result.hpp"
#include "runtime/node/admin/problem.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kevolve {

// Where to listen. Only loopback: errc::bad_input names what else was asked for.
struct listen_address {
  std::string host; // "127.0.0.1" | "::1"
  uint16_t port = 0;
};
result<listen_address> parse_listen(const std::string& text);

// "http://127.0.0.1:41234"
std::string url_of(const listen_address& at);

struct request_origin {
  std::string_view host; // headers; empty: absent
  std::string_view origin;
  std::string_view sec_fetch_site;
};

// Nothing if the request may be looked at: its Host is a loopback name with our port (against DNS rebinding), and
// a browser says it comes from ourselves.
std::optional<problem> refuse_foreign(const request_origin& from, uint16_t port);

} // namespace kevolve
