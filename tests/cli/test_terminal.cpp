#include "tools/kevolve/output/terminal.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

TEST_CASE("foreign text cannot control the terminal") {
  CHECK(printable("a\x1b[31mb\r\n\tc\x7f") == "a [31mb   c ");
  CHECK(printable("\xc2\x9b"
                  "31m")
        == " 31m"); // the one-byte form of ESC [ in UTF-8
  CHECK(printable("größer ✓") == "größer ✓");
}

TEST_CASE("foreign text keeps its order") {
  CHECK(printable("a\u202eb") == "a<U+202E>b");
  for (const auto* x : {"\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067",     "\u2068",
                        "\u2069", "\u200e", "\u200f", "\u061c", "\u200b", "\u2028", "\ufeff",     "\U000e0041",
                        "\u180e", "\u180b", "\u00ad", "\u2800", "\ufe00", "\ufe0f", "\U000e0100", "\U000e01ef"})
    CHECK_MESSAGE(printable(x).starts_with("<U+"), x);
  CHECK(printable("\U000e0041") == "<U+E0041>");
  CHECK(printable("\u0085\u009f") == "  ");
  // Covers an 8-bit control byte, a truncated character, an overlong one and a surrogate.
  CHECK(printable("a\x9b"
                  "31m")
        == "a\ufffd31m");
  CHECK(printable("\xe2\x82") == "\ufffd\ufffd");
  CHECK(printable("\xc0\x9b") == "\ufffd\ufffd");
  CHECK(printable("\xed\xa0\x80") == "\ufffd\ufffd\ufffd");
  CHECK(printable("\u200d\u0645\U0001f600") == "\u200d\u0645\U0001f600"); // scripts and pictures are kept
}

TEST_CASE("foreign lines stay separate, and each is harmless") {
  CHECK(kevolve::printable_lines("one\n\x1b[2Jtwo\n\nthree\n", "  ").find("\x1b") == std::string::npos);
  CHECK(kevolve::printable_lines("one\ntwo\nthree", "  ") == "one\n  two\n  three");
  CHECK(kevolve::printable_lines("", "  ").empty());
}

TEST_CASE("text is cut by characters, not bytes") {
  CHECK(fit_to("größer", 6) == "größer");
  CHECK(fit_to("größer", 4) == "grö…");
  CHECK(fit_to("abc", 3) == "abc");
}

TEST_CASE("figures are formatted for people") {
  CHECK(human_duration(0.04) == "0.0 s");
  CHECK(human_duration(9.96) == "10.0 s");
  CHECK(human_duration(65) == "1:05");
  CHECK(human_duration(3600 + 2 * 60 + 3) == "1:02:03");
  CHECK(human_bytes(512) == "512 B");
  CHECK(human_bytes(1536) == "1.5 KiB");
  CHECK(human_bytes(3.0 * 1024 * 1024) == "3 MiB");
  CHECK(human_count(268435456) == "268.4 M");
  CHECK(human_speedup(1.234) == "1.23x");
  CHECK(human_speedup(123.456) == "123.5x");
  CHECK(human_ns(1.5e6) == "1.5 ms");
}

TEST_CASE("a table's columns are aligned") {
  CHECK(table_text({{"A", "LONGER"}, {"größe", "x"}}) == "A      LONGER\ngröße  x\n");
}
