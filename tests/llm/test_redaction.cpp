#include "backends/llm/protocol/redaction.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace kevolve;
using namespace kevolve::llm;

namespace {

// A test key with every kind of character that encodings treat specially.
const std::string canary = "sk-ca/na+ry=\"q\"&<%41>\\z 9";

redactor with(std::vector<secret> secrets) {
  return redactor::make(std::move(secrets)).value();
}

std::string percent(std::string_view text, bool upper, bool all) {
  const char* digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  std::string out;
  for (char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (!all && std::isalnum(u) != 0) {
      out += c;
      continue;
    }
    out += '%';
    out += digits[u >> 4U];
    out += digits[u & 15U];
  }
  return out;
}

std::string base64(std::string_view text, bool url) {
  std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  alphabet += url ? "-_" : "+/";
  std::string out;
  for (size_t i = 0; i < text.size(); i += 3) {
    unsigned group = 0;
    for (size_t k = 0; k < 3; ++k)
      group = group * 256 + (i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U);
    for (size_t k = 0; k < 4; ++k)
      out += i + k > text.size() ? '=' : alphabet[(group >> (18 - 6 * k)) & 63U];
  }
  return out;
}

std::string hex(std::string_view text, const char* digits) {
  std::string out;
  for (char c : text) {
    out += digits[static_cast<unsigned char>(c) >> 4U];
    out += digits[static_cast<unsigned char>(c) & 15U];
  }
  return out;
}

} // namespace

TEST_CASE("a secret is removed in every encoding") {
  const auto r = with({{"KEY", canary}});
  const auto as_json = [](const std::string& text) { return nlohmann::json(text).dump(); };
  std::vector<std::pair<const char*, std::string>> forms{
      {"plain", canary},
      {"percent", percent(canary, true, false)},
      {"percent, small digits", percent(canary, false, false)},
      {"percent, all", percent(canary, true, true)},
      {"percent twice", percent(percent(canary, true, false), true, false)},
      {"JSON", as_json(canary)},
      {"JSON in JSON", as_json(as_json(canary))},
      {"HTML", "sk-ca/na+ry=&quot;q&#34;&amp;&lt;%41&#x3e;\\z 9"},
      {"JSON with slashes and code points", "\\u0073k-ca\\/na+ry=\\\"q\\u0022&<%41>\\\\z 9"},
      {"hexadecimal", hex(canary, "0123456789abcdef")},
      {"hexadecimal, capitals", hex(canary, "0123456789ABCDEF")},
  };
  for (const bool url : {false, true})
    for (const char* before : {"", "u", "u:", "Bearer "})
      forms.emplace_back("base64", base64(before + canary + "!tail", url));
  for (const auto& [name, form] : forms) {
    CAPTURE(name);
    CAPTURE(form);
    const auto text = "before " + form + " after";
    CHECK(r.finds(text));
    const auto cleaned = r.clean(text);
    CHECK(cleaned.find("<secret:KEY>") != std::string::npos);
    CHECK(cleaned.substr(0, 7) == "before ");
    CHECK(cleaned.substr(cleaned.size() - 6) == " after");
    CHECK_FALSE(r.finds(cleaned));
    CHECK(r.clean(cleaned) == cleaned);
  }
}

TEST_CASE("a secret that looks like an escape itself is removed") {
  for (const std::string value : {"%25-abcdefg", "\\\\server\\share", "&amp;abcdefgh", "ends-with-percent%",
                                  "%41%41%41", "back\\nslash", "two\\\\ends\\\\", "a b+c d%20"}) {
    CAPTURE(value);
    const auto r = with({{"KEY", value}});
    const auto escaped = nlohmann::json(value).dump();
    for (const auto& form : {value, percent(value, true, false), percent(percent(value, true, false), true, false),
                             escaped, nlohmann::json(escaped).dump()}) {
      CAPTURE(form);
      CHECK(r.finds(form));
      CHECK(r.finds("x " + form + " x"));
      CHECK_FALSE(r.finds(r.clean("x " + form + " x")));
    }
  }
}

TEST_CASE("endless escapes are read in linear time") {
  const auto r = with({{"KEY", "\\\\\\\\\\\\\\\\%%%%%%%%"}, {"OTHER", "&&&&&&&&;;;;"}});
  for (const std::string unit : {"\\", "%25", "&#38;", "%", "&"}) {
    std::string many;
    while (many.size() < 20'000)
      many += unit;
    CHECK(r.clean(many).size() > 0);
  }
}

TEST_CASE("base64 broken into lines is found") {
  const auto r = with({{"KEY", "a-very-secret-value-of-some-length"}});
  auto text = base64("user:a-very-secret-value-of-some-length", false);
  for (size_t at = 10; at < text.size(); at += 12)
    text.insert(at, at % 24 == 10 ? "\r\n" : "\\n");
  CHECK(r.finds(text));
}

TEST_CASE("the longer of overlapping secrets is removed as a whole, in all its occurrences") {
  const auto r = with({{"SHORT", "abcdefgh"}, {"LONG", "abcdefghijkl"}});
  CHECK(r.clean("abcdefghijkl abcdefgh xabcdefghx") == "<secret:LONG> <secret:SHORT> x<secret:SHORT>x");
}

TEST_CASE("text without a secret is unchanged") {
  const auto r = with({{"KEY", canary}});
  for (const std::string text :
       {"", "%", "\\", "&", "&#;", "%4", "\\u00", "sk-ca/na+ry", "YWJj", "&#99999999999;", "\\\\\\"}) {
    CHECK_FALSE(r.finds(text));
    CHECK(r.clean(text) == text);
  }
  CHECK(redactor{}.clean("anything") == "anything");
}

TEST_CASE("a short secret is refused, naming it only") {
  const auto no = redactor::make({{"KEY", "1234567"}});
  REQUIRE_FALSE(no.has_value());
  CHECK(no.error().detail.find("KEY") != std::string::npos);
  CHECK(no.error().detail.find("1234567") == std::string::npos);
  CHECK(redactor::make({{"KEY", "12345678"}}).has_value());
}

TEST_CASE("texts shaped like keys are found") {
  struct row {
    const char* text;
    const char* kind; // null: none
  };
  const row rows[] = {
      {"key sk-ant-api03-Abc123Def456Ghi789Jkl012 end", "anthropic"},
      {"sk-proj-Abc123Def456Ghi789Jkl012", "openai"},
      {"OPENAI_API_KEY=sk-Abc123Def456Ghi789Jkl012", "openai"},
      {"\"hf_Abc123Def456Ghi789Jkl012\"", "hugging face"},
      {"AIzaSyA1234567890abcdefghijklmnopqrstuv", "google"},
      {"AKIAIOSFODNN7EXAMPLE99", "aws"},
      {"ghp_Abc123Def456Ghi789Jkl012Mno345", "github"},
      {"Authorization: Bearer abc123def456ghi789", "bearer token"},
      {"authorization: BEARER abc123def456ghi789", "bearer token"},
      {"X-API-Key: abc123def456ghi789", "bearer token"},
      {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc", "json web token"},
      {"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n", "private key"},
      {"-----BEGIN PRIVATE KEY-----\nMIIE", "private key"},
      {"http://user:pass@proxy:3128/", "url password"},
      {"sk-learn-based-classification-of-things", nullptr},
      {"risk-Abc123Def456Ghi789Jkl012", nullptr},
      {"sk-short1", nullptr},
      {"-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----", nullptr},
      {"http://host:8080/path@x", nullptr},
      {"bearer of bad news and good ones too", nullptr},
      {"for (int64_t i = 0; i < n; ++i) y[i] = x[i];", nullptr},
      {"", nullptr},
  };
  for (const auto& x : rows) {
    CAPTURE(x.text);
    const auto found = find_key_shapes(x.text);
    CHECK(found.size() == (x.kind == nullptr ? 0 : 1));
    if (!found.empty() && x.kind != nullptr)
      CHECK(found[0].kind == x.kind);
  }
  CHECK(without_key_shapes("a sk-Abc123Def456Ghi789Jkl012 b http://u:pw@h/")
        == "a <looks like a key: openai> b http://u:<looks like a key: url password>@h/");
}

TEST_CASE("fragments of a secret are removed from truncated texts") {
  const std::string key = "zzCanaryPlainfb0e2bce823bc40a61bfe9e4";
  const auto r = redactor::make({{"key", key}});
  REQUIRE(r);
  CHECK(r->clean_cut("bad key " + key.substr(0, key.size() - 1) + "…") == "bad key <part of a secret>…");
  CHECK(r->clean_cut("x" + key.substr(9) + " y") == "x<part of a secret> y");
  CHECK(r->clean_cut("ZZCANARYPLAINFB0E2BCE") == "<part of a secret>");
  CHECK(r->clean_cut("all of it: " + key) == "all of it: <secret:key>");
  CHECK(r->clean_cut("zzCanaryPla and nothing more") == "zzCanaryPla and nothing more");    // only 11 characters
  const auto encoded = std::string{"enpDYW5hcnlQbGFpbmZiMGUyYmNlODIzYmM0MGE2MWJmZTllNA=="}; // base64
  CHECK(r->clean_cut(encoded.substr(0, 30)).find("hcnlQbGFpbm") == std::string::npos);
}
