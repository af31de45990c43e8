#include "runtime/node/admin/guard.hpp"

#include "runtime/base/printable.hpp"
#include "runtime/base/url.hpp"
#include "runtime/node/admin/token.hpp"

#include <boost/asio/ip/address.hpp>

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

bool is_name_with_port(std::string_view authority, std::string_view name, const own_names& ours) {
  if (ours.port == (ours.tls ? 443 : 80) && equal_ignoring_case(authority, name))
    return true;
  return equal_ignoring_case(authority, std::string{name} + ":" + std::to_string(ours.port));
}

bool is_ours(std::string_view authority, const own_names& ours) {
  auto fits = [&](std::string_view name) { return is_name_with_port(authority, name, ours); };
  return std::any_of(loopback_names.begin(), loopback_names.end(), fits)
         || std::any_of(ours.hosts.begin(), ours.hosts.end(), fits);
}

constexpr size_t most_logged = 200;

// Returns true if one of the words is the token, as in "Bearer TOKEN".
bool holds_token(std::string_view text, const token_check& token) {
  while (!text.empty()) {
    auto end = text.find_first_of(" \t\r\n");
    if (token.is_token(text.substr(0, end)))
      return true;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return false;
}

} // namespace

result<listen_address> parse_listen(const std::string& text, bool tls) {
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
  else if (tls) {
    if (host.size() > 2 && host.front() == '[' && host.back() == ']')
      host = host.substr(1, host.size() - 2);
    boost::system::error_code wrong;
    boost::asio::ip::make_address(host, wrong);
    if (wrong)
      return fail(errc::bad_input, "listen = \"" + text + "\": '" + host + "' is no IP address");
    out.host = host;
  } else
    return fail(errc::bad_input, "listen = \"" + text
                                     + "\": the admin listens on this machine alone (127.0.0.1, localhost or [::1]); "
                                       "reach it from elsewhere through ssh -L, or give it a certificate ([tls])");
  out.tls = tls;
  return out;
}

std::string url_of(const listen_address& at) {
  // A server that listens on all addresses is reached on loopback, too.
  auto name = at.host == "0.0.0.0" ? std::string{"127.0.0.1"} : at.host == "::" ? std::string{"::1"} : at.host;
  auto host = name.find(':') == std::string::npos ? name : "[" + name + "]";
  return (at.tls ? "https://" : "http://") + host + ":" + std::to_string(at.port);
}

std::optional<problem> refuse_foreign(const request_origin& from, const own_names& ours) {
  if (from.host.empty())
    return problem{400, "bad-request", "a Host header is required"};
  if (!is_ours(from.host, ours))
    return problem{403, "host-not-allowed",
                   ours.hosts.empty()
                       ? "the Host header must name this machine's loopback address and port"
                       : "the Host header must name one of this node's hosts ([tls] hosts) and its port"};
  if (!from.origin.empty()) {
    const std::string_view scheme = ours.tls ? "https://" : "http://";
    if (!from.origin.starts_with(scheme) || !is_ours(from.origin.substr(scheme.size()), ours))
      return problem{403, "origin-not-allowed", "requests from other sites are refused"};
  }
  if (!from.sec_fetch_site.empty() && from.sec_fetch_site != "same-origin" && from.sec_fetch_site != "none")
    return problem{403, "origin-not-allowed", "requests from other sites are refused"};
  return std::nullopt;
}

problem refuse_stranger(std::string_view authorization) {
  if (is_bearer(authorization))
    return {401, "unauthorised", "this token is not the node's: send the content of the node's token file"};
  return {401, "unauthorised", "a bearer token is required: the content of the node's token file"};
}

std::optional<problem> refuse_token_in_url(std::string_view target, const token_check& token) {
  problem why{400, "token-in-url",
              "a token does not belong in a URL, which ends up in logs: send it as the header "
              "'Authorization: Bearer TOKEN'"};
  auto question = target.find('?');
  auto path = target.substr(0, question);
  while (!path.empty()) {
    auto slash = path.find('/');
    auto segment = percent_decode(path.substr(0, slash), false);
    if (segment && holds_token(*segment, token))
      return why;
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  auto query = question == std::string_view::npos ? std::string_view{} : target.substr(question + 1);
  while (!query.empty()) {
    auto end = query.find('&');
    auto pair = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    auto equals = pair.find('=');
    auto name = percent_decode(pair.substr(0, equals), true);
    auto value = equals == std::string_view::npos ? std::nullopt : percent_decode(pair.substr(equals + 1), true);
    if (name && (is_secret_name(*name) || holds_token(*name, token)))
      return why;
    if (value && holds_token(*value, token))
      return why;
  }
  return std::nullopt;
}

std::string loggable_path(std::string_view target, const token_check& token) {
  auto question = target.find('?');
  auto rest = target.substr(0, question);
  std::string out;
  while (!rest.empty()) {
    auto slash = rest.find('/');
    auto raw = rest.substr(0, slash);
    auto segment = percent_decode(raw, false);
    // A target that is no path may contain anything: "Bearer …", or a URL with a user's name.
    auto secret = (segment && holds_token(*segment, token)) || raw.size() > 64;
    out += secret ? "(withheld)" : std::string{raw};
    out += slash == std::string_view::npos ? "" : "/";
    rest.remove_prefix(slash == std::string_view::npos ? rest.size() : slash + 1);
  }
  out = printable(out); // replacements may lengthen the text
  if (out.size() > most_logged) {
    auto end = most_logged;
    while ((static_cast<unsigned char>(out[end]) & 0xC0U) == 0x80U) // in the middle of a character
      --end;
    out = out.substr(0, end) + "...";
  }
  if (question != std::string_view::npos)
    out += "?(withheld)";
  return out;
}

} // namespace kevolve
