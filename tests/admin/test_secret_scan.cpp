#include "tools/kevolve/secret_scan.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

TEST_CASE("secrets are found by value, by their maker's mark and by the name before them, with their line") {
  const std::vector<known_secret> known{{"the node's token", "0123456789abcdef"}};
  struct {
    const char* line;
    const char* what; // nullptr: none
  } cases[] = {
      {"x 0123456789abcdef y", "the node's token"},
      {"key sk-proj-abcdefghijklmnopqrstuv", "an API key"},
      {"AKIAABCDEFGHIJKLMNOP", "an AWS access key"},
      {"ghp_abcdefghijklmnopqrstuvwxyz0123456789", "a GitHub token"},
      {"Authorization: Bearer abcdefghijklmnopqrstuv", "a bearer token"},
      {"-----BEGIN EC PRIVATE KEY-----", "a private key"},
      {"api_key = \"abcdefghijklmnop\"", "the value of 'api_key'"},
      {"\"Password\": \"correct-horse-battery\"", "the value of 'password'"},
      {"client_secret=abcdefghijklmnopq", "the value of 'secret'"},
      {"url = \"https://user:pw@example.org/v1\"", "a user's name or password in a URL"},
      {"see http://x then https://k1@host", "a user's name or password in a URL"},
      {"GET https://example.org/v1?model=a&Key=k1 failed", "the parameter 'Key' in a URL"},
      {"<https://example.org/?sig=1>", "the parameter 'sig' in a URL"},
      {"redis://:pw@cache:6379", "a user's name or password in a URL"},
      {"ssh://git@example.org/x.git", nullptr},
      {"https://example.org/v1?model=a&limit=5 key=v", nullptr},
      {"https://example.org:8443/@me?key=", nullptr},
      {"token_file = \"/var/lib/kevolve/token\"", nullptr},
      {"token = \"/var/lib/kevolve/token\"", nullptr},
      {"\"who\": \"token:0123456789ab\"", nullptr},
      {"\"tokens_in\": 123456789012345678901234", nullptr},
      {"risk-adjusted-return-of-the-portfolio", nullptr},
      {"sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", nullptr},
      {"-----BEGIN CERTIFICATE-----", nullptr},
      {"a bearer token is required", nullptr},
  };
  for (const auto& c : cases) {
    CAPTURE(c.line);
    auto found = find_secrets(std::string{"first\n"} + c.line + "\nlast\n", known);
    REQUIRE(found.size() == (c.what == nullptr ? 0U : 1U));
    if (c.what == nullptr)
      continue;
    CHECK(found[0].line == 2);
    CHECK(found[0].what == c.what);
  }
}
