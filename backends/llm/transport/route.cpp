#include "backends/llm/transport/route.hpp"

#include "backends/llm/protocol/wire.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace kevolve {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  const auto low = static_cast<char>(c | 0x20);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool all_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

bool is_host_name(std::string_view host) {
  return !host.empty() && host.size() <= 253 && std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.'
           || c == '_';
  });
}

bool is_v6(const std::string& host) {
  in6_addr ignored{};
  return inet_pton(AF_INET6, host.c_str(), &ignored) == 1;
}

std::string bracketed(const std::string& host) {
  return is_v6(host) ? "[" + host + "]" : host;
}

// Parses "host", "host:port", "[v6]" and "[v6]:port".
bool take_authority(std::string_view text, url_parts& out) {
  std::string_view port;
  if (!text.empty() && text.front() == '[') {
    const auto end = text.find(']');
    if (end == std::string_view::npos)
      return false;
    out.host = text.substr(1, end - 1);
    port = text.substr(end + 1);
    if (!is_v6(out.host))
      return false;
  } else {
    const auto colon = text.find(':');
    out.host = text.substr(0, colon);
    port = colon == std::string_view::npos ? std::string_view{} : text.substr(colon);
    if (!is_host_name(out.host))
      return false;
  }
  if (port.empty())
    return true;
  if (port.front() != ':')
    return false;
  port.remove_prefix(1);
  const auto read = std::from_chars(port.data(), port.data() + port.size(), out.port);
  return read.ec == std::errc{} && read.ptr == port.data() + port.size() && out.port != 0;
}

result<std::optional<proxy_route>> plan_proxy(const std::string& who, const network_options& options) {
  std::string source = "its proxy";
  std::string text = options.proxy;
  if (text.empty() && !options.proxy_environment.empty()) {
    source = "the proxy in " + options.proxy_environment;
    const char* value = std::getenv(options.proxy_environment.c_str());
    text = value == nullptr ? "" : value;
  }
  if (text.empty())
    return std::optional<proxy_route>{};
  const auto url = parse_url(text);
  if (!url)
    return fail(errc::bad_input, who + source + ": " + url.error().detail);
  if (url->tls)
    return fail(errc::bad_input, who + source + ": TLS to the proxy itself is not supported, write http://");
  if (!url->user_info.empty() && !options.proxy.empty())
    return fail(errc::bad_input, who + source
                                     + " holds a password: put the URL into an environment variable and name"
                                       " that in proxy_env");
  if (!url->path.empty() || !url->query.empty())
    return fail(errc::bad_input, who + source + ": expected http://host:port and nothing behind it");
  return std::optional<proxy_route>{{url->host, url->port, api_key{url->user_info}}};
}

} // namespace

result<url_parts> parse_url(std::string_view text) {
  url_parts out;
  if (!all_printable(text))
    return fail(errc::bad_input, "a URL has no spaces, control characters or other than ASCII letters");
  if (text.rfind("https://", 0) == 0) {
    out.tls = true;
    text.remove_prefix(8);
  } else if (text.rfind("http://", 0) == 0) {
    text.remove_prefix(7);
  } else {
    return fail(errc::bad_input, "expected a URL that begins with https:// or http://");
  }
  if (text.find('#') != std::string_view::npos)
    return fail(errc::bad_input, "a URL with a fragment ('#') cannot be asked");
  out.port = out.tls ? 443 : 80;
  if (const auto query = text.find('?'); query != std::string_view::npos) {
    out.query = text.substr(query);
    text = text.substr(0, query);
  }
  if (const auto slash = text.find('/'); slash != std::string_view::npos) {
    out.path = text.substr(slash);
    text = text.substr(0, slash);
    while (!out.path.empty() && out.path.back() == '/')
      out.path.pop_back();
  }
  if (const auto at = text.rfind('@'); at != std::string_view::npos) {
    out.user_info = percent_decoded(text.substr(0, at));
    text = text.substr(at + 1);
  }
  if (!take_authority(text, out))
    return fail(errc::bad_input, "the URL has no valid host and port: expected host, host:port or [IPv6]:port");
  return out;
}

bool is_ip_literal(const std::string& host) {
  in_addr ignored{};
  return inet_pton(AF_INET, host.c_str(), &ignored) == 1 || is_v6(host);
}

bool is_loopback(const std::string& host) {
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1)
    return (ntohl(v4.s_addr) >> 24U) == 127;
  return host == "::1" || host == "localhost";
}

std::string provider_route::authority() const {
  return port == (tls ? 443 : 80) ? bracketed(host) : authority_with_port();
}

std::string provider_route::authority_with_port() const {
  return bracketed(host) + ":" + std::to_string(port);
}

std::string provider_route::origin() const {
  std::string out = (tls ? "https " : "http ") + authority_with_port() + " ca " + ca_file + " unix " + unix_socket;
  if (proxy)
    out += " proxy " + proxy->host + ":" + std::to_string(proxy->port);
  return out;
}

result<provider_route> plan_route(const llm::provider_access& provider, const network_options& options) {
  const auto who = "provider '" + provider.name + "': ";
  const auto url = parse_url(provider.base_url);
  if (!url)
    return fail(errc::bad_input, who + "url: " + url.error().detail);
  if (!url->user_info.empty())
    return fail(errc::bad_input, who + "url holds a user or password: keys come from the environment or a file");
  auto proxy = plan_proxy(who, options);
  if (!proxy)
    return tl::unexpected(proxy.error());
  if (!options.unix_socket.empty() && *proxy)
    return fail(errc::bad_input, who + "a Unix socket and a proxy exclude each other");
  // sun_path has 108 bytes, including the terminating zero.
  if (options.unix_socket.size() > 107)
    return fail(errc::bad_input, who + "unix_socket: a path may have 107 bytes");
  // Through a remote proxy, "localhost" is the proxy's machine.
  const bool local =
      !options.unix_socket.empty() || (is_loopback(url->host) && (!*proxy || is_loopback((*proxy)->host)));
  if (!url->tls && !local && !options.allow_plain_text)
    return fail(errc::bad_input, who + "http:// would send prompt and key in plain text to "
                                     + (is_loopback(url->host) ? (*proxy)->host : url->host)
                                     + ": use https://, or say plain_text = true if the network is yours");
  provider_route out;
  out.tls = url->tls;
  out.host = url->host;
  out.port = url->port;
  out.target = url->path + std::string{llm::path_of(provider.wire)} + url->query;
  out.unix_socket = options.unix_socket;
  out.ca_file = options.ca_file;
  out.proxy = std::move(*proxy);
  return out;
}

} // namespace kevolve
