#include "runtime/node/admin/guard.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

TEST_CASE("only loopback addresses may be listened on") {
  struct {
    const char* text;
    const char* host; // nullptr: refused
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

TEST_CASE("a request must name us as its host and come from no other site") {
  struct {
    request_origin from;
    unsigned status; // 0: let through
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
