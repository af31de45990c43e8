// The way to a provider: what its base URL and the operator's network options mean. Pure but for the environment.
#pragma once

#include "backends/llm/protocol/provider.hpp"
#include "backends/llm/transport/api_key.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kevolve {

// Certificates are always verified: no option turns that off.
struct network_options {
  std::string proxy;             // "http://host:port", asked with CONNECT; without user and password
  std::string proxy_environment; // a variable that holds such a URL, perhaps with them; not set: no proxy
  std::string ca_file;           // PEM, trusted beside the system's
  std::string unix_socket;       // connected to in place of the URL's host and port
  bool allow_plain_text = false; // http:// to other machines: whoever is between reads prompt and key
};

struct url_parts {
  bool tls = false;
  std::string user_info; // percent-decoded
  std::string host;      // without brackets
  uint16_t port = 0;
  std::string path;  // "" or "/…", without a slash at its end
  std::string query; // "" or "?…"
};
// errc::bad_input: the text never repeats the URL, which may hold a password.
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
  std::string origin() const; // connections with the same may serve each other's requests
};

result<provider_route> plan_route(const llm::provider_access& provider, const network_options& options);

} // namespace kevolve
