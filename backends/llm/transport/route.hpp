// The route to a provider, from its base URL and the operator's network options. Pure except for reading the
// environment.
#pragma once

#include "backends/llm/protocol/provider.hpp"
#include "backends/llm/transport/api_key.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kevolve {

// Network options of a provider. Certificates are always verified; no option disables that.
struct network_options {
  std::string proxy; // "http://host:port", used with CONNECT; without user and password
  // Name of a variable with such a URL, optionally with user and password; not set: no proxy.
  std::string proxy_environment;
  std::string ca_file;           // PEM file, trusted in addition to the system's
  std::string unix_socket;       // used instead of the URL's host and port
  bool allow_plain_text = false; // allows http:// to other machines; the network can then read prompt and key
};

struct url_parts {
  bool tls = false;
  std::string user_info; // percent-decoded
  std::string host;      // without brackets
  uint16_t port = 0;
  std::string path;  // "" or "/…", without a trailing slash
  std::string query; // "" or "?…"
};
// Parses a URL. errc::bad_input: the message never repeats the URL, which may contain a password.
result<url_parts> parse_url(std::string_view text);

bool is_ip_literal(const std::string& host);
bool is_loopback(const std::string& host);

struct proxy_route {
  std::string host;
  uint16_t port = 0;
  api_key user_info; // "user:password"
};

struct provider_route {
  bool tls = true;
  std::string host;
  uint16_t port = 0;
  std::string target;
  std::string unix_socket;
  std::string ca_file;
  std::optional<proxy_route> proxy;

  std::string authority() const; // "host" or "host:port", for the Host header
  std::string authority_with_port() const;
  std::string origin() const; // connections with equal origins are interchangeable
};

result<provider_route> plan_route(const llm::provider_access& provider, const network_options& options);

} // namespace kevolve
