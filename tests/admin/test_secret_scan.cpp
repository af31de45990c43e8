#include "tools/kevolve/secret_scan.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

TEST_CASE("secrets are found by value, by vendor prefix and by their name, with their line") {
  const std::vector<known_secret> known{{"the node's token", "0123456789abcdef"}};
  struct {
    const char* line;
    const char* what; // nullptr: no secret
  } cases[] = {
      {"x 0123456789abcdef y", "the node's token"},
      {"key sk-proj-abcdefghijklmnopqrstuv", "an API key"},
      {"AKIAABCDEFGHIJKLMNOP", "an AWS access key"},
      {"ghp_abcdefghijklmnopqrstuvwxyz0123456789", "a GitHub token"},
      {"Authorization: Bearer abcdefghijklmnopqrstuv", "a bearer token"},
      {"-----BEGIN EC PRIVATE KEY-----", "a private key"},
      {"api_key = \"abcdefghijklmnop\"", "the value of 'api_key'"},
      {"\"Password\": \"correct-horse-battery\"", "the value of 'password'"},
      {"client_secret=abcdefghijklmnopq", "the value of 'client_secret'"},
      {"url = \"https://user:pw@example.org/v1\"", "a user's name or password in a URL"},
      {"see http://x then https://k1@host", "a user's name or password in a URL"},
      {"GET https://example.org/v1?model=a&Key=k1 failed", "the parameter 'Key' in a URL"},
      {"<https://example.org/?sig=1>", "the parameter 'sig' in a URL"},
      {"redis://:pw@cache:6379", "a user's name or password in a URL"},
      {R"({"log":"failed\nsk-proj-abcdefghijklmnopqrstuv"})", "an API key"},
      {R"({"log":"failed\tghu_abcdefghijklmnopqrstuvwxyz0123456789"})", "a GitHub token"},
      {R"({"log":"{\"password\": \"c0rrect$horse!\"}"})", "the value of 'password'"},
      {R"({"log":"{\"log\":\"{\\\"token\\\": \\\"abcdefghijklmnop\\\"}\"}"})", "the value of 'token'"},
      {R"({"log":"Authorization: \u0042earer abcdefghijklmnopqrstuv"})", "a bearer token"},
      {"authorization: bearer abcdefghijklmnopqrstuv", "a bearer token"},
      {"Authorization: Basic dXNlcjpwYXNz", "the value of 'authorization'"},
      {"\"Authorization\": \"Basic dXNlcjpwYXNz\"", "the value of 'authorization'"},
      {"api-key: fedcba9876543210x", "the value of 'api-key'"},
      {"X-Api-Key: fedcba9876543210x", "the value of 'x-api-key'"},
      {"accessToken: abcdefghijklmnop", "the value of 'accesstoken'"},
      {"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY", "the value of 'aws_secret_access_key'"},
      {"DB_PWD=hunter2!x", "the value of 'db_pwd'"},
      {"passphrase = 'correct horse battery'", "the value of 'passphrase'"},
      {"\"password\": \"p@ss$w0rd&more\"", "the value of 'password'"},
      {"session=abcdefghijklmnop01", "the value of 'session'"},
      {"SharedAccess: sas=sv2024abcdefghijkl%3D", "the value of 'sas'"},
      {"ASIAABCDEFGHIJKLMNOP", "an AWS access key"},
      {"sk_test_abcdefghijklmnop", "an API key"},
      {"xoxp-0123456789-0123456789-ab", "a Slack token"},
      {"gsk_abcdefghijklmnopqrstuvwx", "an API key"},
      {"npm_abcdefghijklmnopqrstuvwxyz0123456789", "an npm token"},
      {"get https:///me:pw@example.org/v1", "a user's name or password in a URL"},
      {"serve --api-key fedcba9876543210x --port 1", "the value of --api-key"},
      {"started with --db-password 'c0rrect horse'", "the value of --db-password"},
      {"api_key := fedcba9876543210x", "the value of 'api_key'"},
      {"serve --token-file /run/secrets/kevolve-2024", nullptr},
      {"--key 17 --code nothing_in_budget_2024", nullptr},
      {"get https://example.org/v1;key=k1", "the parameter 'key' in a URL"},
      {R"({"message":"unexpected token: \"abc\"\n  key = hash[x]"})", nullptr},
      {"key = \"tls/node-2024-server.pem\"", nullptr},
      {"{\"key\": \"budget.candidates\", \"code\": \"nothing_in_budget\"}", nullptr},
      {"\"password\": \"****************\"", nullptr},
      {"password: required", nullptr},
      {"send it as the header 'Authorization: Bearer TOKEN'", nullptr},
      {"auto t = token::kind_of_something_long;", nullptr},
      {"PWD=/home/somebody/kevolve-data", nullptr},
      {"key_env = \"OPENAI_API_KEY_OF_2024\"", nullptr},
      {"\"verdicts\": {\"pass\": 123456789}", nullptr},
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
