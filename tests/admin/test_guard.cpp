#include "runtime/node/admin/guard.hpp"

#include "runtime/base/printable.hpp"
#include "runtime/node/admin/token.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

TEST_CASE("without TLS only loopback addresses may be listened on") {
  struct {
    const char* text;
    const char* host; // nullptr: rejected
    uint16_t port;
  } cases[] = {
      {"127.0.0.1:7700", "127.0.0.1", 7700},
      {"localhost:0", "127.0.0.1", 0},
      {"[::1]:9", "::1", 9},
      {"0.0.0.0:7700", nullptr, 0},
      {"[::]:7700", nullptr, 0},
      {"192.168.1.2:80", nullptr, 0},
      {"127.0.0.1", nullptr, 0},
      {"127.0.0.1:", nullptr, 0},
      {"127.0.0.1:65536", nullptr, 0},
      {"127.0.0.1:8x", nullptr, 0},
      {"example.org:80", nullptr, 0},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    auto at = parse_listen(c.text);
    CHECK(at.has_value() == (c.host != nullptr));
    if (at && c.host != nullptr) {
      CHECK(at->host == c.host);
      CHECK(at->port == c.port);
    } else if (!at)
      CHECK(at.error().detail.find(c.text) != std::string::npos);
  }
}

TEST_CASE("a request must name this node as host and come from no other site") {
  struct {
    request_origin from;
    unsigned status; // 0: accepted
  } cases[] = {
      {{"127.0.0.1:7700", "", ""}, 0},
      {{"LocalHost:7700", "", ""}, 0},
      {{"[::1]:7700", "http://localhost:7700", "same-origin"}, 0},
      {{"127.0.0.1:7700", "", "none"}, 0},
      {{"", "", ""}, 400},
      {{"127.0.0.1", "", ""}, 403},
      {{"127.0.0.1:7701", "", ""}, 403},
      {{"evil.example:7700", "", ""}, 403},
      {{"127.0.0.1:7700.evil.example", "", ""}, 403},
      {{"127.0.0.1:7700", "http://evil.example", ""}, 403},
      {{"127.0.0.1:7700", "https://127.0.0.1:7700", ""}, 403},
      {{"127.0.0.1:7700", "null", ""}, 403},
      {{"127.0.0.1:7700", "", "cross-site"}, 403},
      {{"127.0.0.1:7700", "", "same-site"}, 403},
  };
  for (const auto& c : cases) {
    CAPTURE(c.from.host);
    CAPTURE(c.from.origin);
    CAPTURE(c.from.sec_fetch_site);
    auto refused = refuse_foreign(c.from, 7700);
    CHECK((refused ? refused->status : 0) == c.status);
  }
}

TEST_CASE("with TLS other addresses may be listened on, with the configured host names") {
  CHECK(parse_listen("0.0.0.0:7700", true)->host == "0.0.0.0");
  CHECK(parse_listen("[2001:db8::1]:7700", true)->host == "2001:db8::1");
  CHECK_FALSE(parse_listen("example.org:7700", true));
  CHECK(url_of({"0.0.0.0", 7, true}) == "https://127.0.0.1:7");
  CHECK(url_of({"2001:db8::1", 7, true}) == "https://[2001:db8::1]:7");
  own_names ours{7700, true, {"node1.example"}};
  CHECK_FALSE(refuse_foreign({"node1.example:7700", "", ""}, ours));
  CHECK_FALSE(refuse_foreign({"NODE1.example:7700", "https://node1.example:7700", "same-origin"}, ours));
  CHECK(refuse_foreign({"node1.example:7700", "http://node1.example:7700", ""}, ours)->status == 403);
  CHECK(refuse_foreign({"node1.example", "", ""}, ours)->status == 403);
  CHECK(refuse_foreign({"node1.example.evil:7700", "", ""}, ours)->status == 403);
  CHECK(refuse_foreign({"node2.example:7700", "", ""}, ours)->status == 403);
  CHECK(refuse_foreign({"node1.example:7700", "null", ""}, ours)->status == 403);
}

TEST_CASE("a token in a URL is refused and never logged") {
  const std::string secret(64, 'a');
  const token_check token{secret};
  for (const auto& target : {"/v1/campaigns?token=x", "/v1/campaigns?limit=1&Access_Token=", "/v1/campaigns?%74oken=x",
                             "/v1/campaigns?api_key", "/x?authorization=Bearer+y"})
    CHECK_MESSAGE(refuse_token_in_url(target, token), target);
  for (const auto& target : {"/v1/" + secret, "/v1/campaigns?state=" + secret, "/v1/campaigns?" + secret,
                             "/v1/campaigns?x=Bearer%20" + secret, "/v1/campaigns?x=bearer+" + secret,
                             "/v1/Bearer%20" + secret, "/v1/%61" + secret.substr(1) + "/x"}) {
    auto why = refuse_token_in_url(target, token);
    REQUIRE_MESSAGE(why, target);
    CHECK(why->name == "token-in-url");
    CHECK(why->detail.find("Authorization: Bearer") != std::string::npos);
    CHECK(loggable_path(target, token).find(secret.substr(1)) == std::string::npos);
  }
  CHECK_FALSE(refuse_token_in_url("/v1/campaigns?limit=10&cursor=20", token));
  CHECK_FALSE(refuse_token_in_url("/v1/campaigns/0123456789abcdef0123456789abcdef", token));
  CHECK(loggable_path("/v1/campaigns?limit=1", token) == "/v1/campaigns?(withheld)");
  CHECK(loggable_path("/a\nb", token) == "/a b");
  CHECK(loggable_path("/" + std::string(5'000, 'x'), token).size() < 300);
  std::string alien; // its printable form is longer
  for (int i = 0; i < 500; ++i)
    alien += "\x93/";
  CHECK(loggable_path(alien, token).size() < 300);
  CHECK(printable(loggable_path(alien, token)) == loggable_path(alien, token));
}
