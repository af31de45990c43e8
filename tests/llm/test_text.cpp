#include "backends/llm/protocol/plain_text.hpp"
#include "backends/llm/protocol/tokens.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace kevolve::llm;

TEST_CASE("invalid UTF-8 becomes one mark for each maximal invalid sequence") {
  const std::string mark = "\xEF\xBF\xBD";
  CHECK(valid_utf8("a\xC3\xBCz") == "a\xC3\xBCz");
  CHECK(valid_utf8("\xF0\x9F\x98\x80") == "\xF0\x9F\x98\x80");
  CHECK(valid_utf8("\xFF") == mark);
  CHECK(valid_utf8("\xC3") == mark);
  CHECK(valid_utf8("\xC3(") == mark + "(");
  CHECK(valid_utf8("\xC0\xAF") == mark + mark); // overlong
  CHECK(valid_utf8("\xE0\x80\x80") == mark + mark + mark);
  CHECK(valid_utf8("\xED\xA0\x80") == mark + mark + mark); // a surrogate
  CHECK(valid_utf8("\xF4\x90\x80\x80") == mark + mark + mark + mark);
  CHECK(valid_utf8("\xE2\x82z") == mark + "z");
  CHECK(valid_utf8("\xF0\x9F\x98") == mark);
  CHECK_FALSE(is_valid_utf8("\xC3"));
  CHECK(is_valid_utf8("\xC3\xBC"));
}

TEST_CASE("plain text has no control and no invisible characters") {
  CHECK(plain_text("a\r\nb\rc\n") == "a\nb\nc\n");
  CHECK(plain_text("a\x1b[31mb\x07\x7f\tz") == "a[31mb\tz");
  CHECK(plain_text(std::string{"a\0b", 3}) == "ab");
  CHECK(plain_text("a\u200bb\u202ec\u2066d\ufeffe\u00adf\u0085g") == "abcdefg");
  CHECK(plain_text("\U000E0041x") == "x"); // a tag character
  CHECK(plain_text("\u00fc\u2192\u4e2d") == "\u00fc\u2192\u4e2d");
  CHECK(first_unplain("a\r\n\tb") == std::string::npos);
  CHECK(first_unplain("ab\u200b") == 2);
  CHECK(first_unplain("a\xFF") == 1);
}

TEST_CASE("token estimates are near the counts of two real tokenisers") {
  struct row {
    const char* text;
    int64_t count; // o200k_base
  };
  // Counted once with that vocabulary.
  const row rows[] = {
#include "tests/llm/data/token_counts.inc"
  };
  for (const auto& x : rows) {
    CAPTURE(x.text);
    const auto estimate = static_cast<double>(estimate_tokens(x.text));
    CHECK(estimate >= 0.85 * static_cast<double>(x.count));
    CHECK(estimate <= 1.4 * static_cast<double>(x.count) + 2);
    CHECK(most_tokens(estimate_tokens(x.text)) > x.count);
  }
  CHECK(estimate_tokens("") == 0);
  CHECK(estimate_tokens(std::string(10'000, ' ')) <= 2);
}

TEST_CASE("an estimate counts words, numbers, signs and lines by separate rules") {
  struct example {
    std::string_view text;
    int64_t twentieths; // in twentieths of a token
  };
  const example all[] = {
      {"register", 20},                                                 // eight letters are one token, nine are two
      {"registers", 40}, {"loadTile", 40},                              // a capital begins a word
      {"GEMM", 20},      {"123", 20},      {"1234", 40},   {"a b", 40}, // a single space belongs to its word
      {"a  b", 60},      {"\n", 16},       {"\n    ", 28}, {" \n", 28},   {"  \n", 28},
      {"+", 20},         {"+=", 22},       {"+=-", 33},    {"\u20ac", 24}};
  for (const auto& x : all) {
    CAPTURE(x.text);
    std::string twenty; // twenty copies avoid rounding; the separator ends a run
    for (int i = 0; i < 20; ++i)
      twenty.append(x.text).append("\u00e9");
    CHECK(estimate_tokens(twenty) == x.twentieths + 24);
  }
}
