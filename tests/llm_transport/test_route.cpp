#include "backends/llm/transport/route.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

using namespace kevolve;

namespace {

result<provider_route> planned(const std::string& base_url, const network_options& options = {}) {
  llm::provider_access p;
  p.name = "mine";
  p.base_url = base_url;
  return plan_route(p, options);
}

} // namespace

TEST_CASE("a base URL gives host, port and path") {
  const auto usual = planned("https://api.example.com/v1/").value();
  CHECK(usual.tls);
  CHECK(usual.host == "api.example.com");
  CHECK(usual.port == 443);
  CHECK(usual.target == "/v1/chat/completions");
  CHECK(usual.authority() == "api.example.com");
  const auto six = planned("http://[::1]:8080/x?y=z").value();
  CHECK_FALSE(six.tls);
  CHECK(six.host == "::1");
  CHECK(six.target == "/x/chat/completions?y=z");
  CHECK(six.authority() == "[::1]:8080");
  CHECK(planned("https://a:444").value().origin() != planned("https://a").value().origin());
  CHECK(planned("https://a/x").value().origin() == planned("https://a/y").value().origin());
}

TEST_CASE("an invalid URL is refused without being repeated") {
  for (const auto* url : {"", "api.example.com", "ftp://x", "https://", "https://:80", "https://a:0", "https://a:65536",
                          "https://a:x", "https://a b", "https://a\r\nx: y", "https://[::1", "https://[a]",
                          "https://a#b", "https://user:hunter22@a", "https://a/\xc3\xa9"}) {
    CAPTURE(url);
    const auto x = planned(url);
    REQUIRE_FALSE(x);
    CHECK(x.error().code == errc::bad_input);
    CHECK(x.error().detail.find("mine") != std::string::npos);
    CHECK(x.error().detail.find("hunter22") == std::string::npos);
  }
}

TEST_CASE("plain HTTP is allowed to this machine, or by the operator") {
  for (const auto* url : {"http://localhost:1/v1", "http://127.0.0.1", "http://127.9.9.9", "http://[::1]"}) {
    CAPTURE(url);
    CHECK(planned(url));
  }
  for (const auto* url : {"http://api.example.com", "http://10.0.0.7:8000", "http://localhost.example.com",
                          "http://127.0.0.1.example.com", "http://[::2]", "http://0.0.0.0"}) {
    CAPTURE(url);
    const auto refused = planned(url);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().detail.find("say plain_text = true") != std::string::npos);
    network_options options;
    options.allow_plain_text = true;
    CHECK(planned(url, options));
  }
  network_options socket;
  socket.unix_socket = "/run/model.socket";
  CHECK(planned("http://model", socket));
  // Through a proxy, loopback is another machine.
  network_options proxied;
  proxied.proxy = "http://proxy.example.com:3128";
  CHECK_FALSE(planned("http://localhost", proxied));
  CHECK(planned("https://localhost", proxied));
}

TEST_CASE("a proxy's password comes from the environment alone") {
  network_options options;
  options.proxy = "http://proxy:3128";
  CHECK(planned("https://a", options).value().proxy->port == 3128);
  for (const auto* proxy : {"http://u:hunter22@proxy:3128", "https://proxy", "socks5://proxy", "http://proxy/path"}) {
    CAPTURE(proxy);
    options.proxy = proxy;
    const auto refused = planned("https://a", options);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().detail.find("hunter22") == std::string::npos);
  }
  options.proxy.clear();
  options.proxy_environment = "KEVOLVE_TEST_PROXY_2";
  ::unsetenv("KEVOLVE_TEST_PROXY_2");
  CHECK_FALSE(planned("https://a", options).value().proxy);
  ::setenv("KEVOLVE_TEST_PROXY_2", "http://u:p%3Aw@proxy:3128", 1);
  const auto way = planned("https://a", options).value();
  CHECK(way.proxy->user_info.reveal() == "u:p:w");
  CHECK(way.origin().find("p:w") == std::string::npos);
  options.unix_socket = "/x";
  CHECK_FALSE(planned("https://a", options));
  ::unsetenv("KEVOLVE_TEST_PROXY_2");
}
