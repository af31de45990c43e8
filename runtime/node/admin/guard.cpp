#include "runtime/node/admin/guard.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace kevolve {

namespace {

constexpr std::array<std::string_view, 3> loopback_names{"127.0.0.1", "localhost", "[::1]"};

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

bool is_ours(std::string_view authority, uint16_t port) {
  for (auto name : loopback_names) {
    if (port == 80 && equal_ignoring_case(authority, name))
      return true;
    if (equal_ignoring_case(authority, std::string{name} + ":" + std::to_string(port)))
      return true;
  }
  return false;
}

} // namespace

result<listen_address> parse_listen(const std::string& text) {
  auto colon = text.rfind(':');
  if (colon == std::string::npos)
    return fail(errc::bad_input, "listen = \"" + text + "\": expected address:port, such as 127.0.0.1:7700");
  auto host = text.substr(0, colon);
  auto digits = text.substr(colon + 1);
  listen_address out;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out.port);
  if (error != std::errc{} || end != digits.data() + digits.size() || digits.empty())
    return fail(errc::bad_input, "listen = \"" + text + "\": the port must be a number from 0 to 65535");
  if (host == "127.0.0.1" || host == "localhost")
    out.host = "127.0.0.1";
  else if (host == "[::1]" || host == "::1")
    out.host = "::1";
  else
    return fail(errc::bad_input, "listen = \"" + text
                                     + "\": the admin listens on this machine alone (127.0.0.1, localhost or [::1]); "
                                       "reach it from elsewhere through ssh -L");
  return out;
}

std::string url_of(const listen_address& at) {
  auto host = at.host == "::1" ? std::string{"[::1]"} : at.host;
  return "http://" + host + ":" + std::to_string(at.port);
}

std::optional<problem> refuse_foreign(const request_origin& from, uint16_t port) {
  if (from.host.empty())
    return problem{400, "bad-request", "a Host header is required"};
  if (!is_ours(from.host, port))
    return problem{403, "host-not-allowed", "the Host header must name this machine's loopback address and port"};
  if (!from.origin.empty()) {
    constexpr std::string_view http = "http://";
    if (!from.origin.starts_with(http) || !is_ours(from.origin.substr(http.size()), port))
      return problem{403, "origin-not-allowed", "requests from other sites are refused"};
  }
  if (!from.sec_fetch_site.empty() && from.sec_fetch_site != "same-origin" && from.sec_fetch_site != "none")
    return problem{403, "origin-not-allowed", "requests from other sites are refused"};
  return std::nullopt;
}

} // namespace kevolve
