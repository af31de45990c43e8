// Asks a node over HTTP; every request has a time limit.
#pragma once

#include "runtime/base/result.hpp"
#include "runtime/node/admin/exchange.hpp"

#include <chrono>
#include <string>

namespace kevolve {

struct http_peer {
  std::string url; // "http://127.0.0.1:7700", or https
  std::string token;
  std::string ca_file{}; // PEM; empty: the system's authorities
  // The only certificate that the node may show, whatever name is in it. It is for a node on this machine that has
  // announced its certificate in its data directory.
  std::string pinned_file{};
};

// Sends a request. errc::unavailable: nobody listens there; errc::timed_out; errc::protocol; errc::bad_input: the
// address is invalid.
result<api_response> http_ask(const http_peer& peer, const api_request& request,
                              std::chrono::milliseconds limit = std::chrono::seconds{15});

} // namespace kevolve
