#include "tests/bundle/sample.hpp"
#include "tools/kevolve/bundle/escape.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using kevolve::test::has;

TEST_CASE("no text can end or open a comment, or join lines") {
  for (const auto* text : {"a */ b", "**/", "*/*/", "/*/", "/**/", "*\n/", "//*", "*?\?/", "a\\"}) {
    CAPTURE(text);
    const auto out = c_comment(text);
    CHECK_FALSE(has(out, "*/"));
    CHECK_FALSE(has(out, "/*"));
    CHECK_FALSE(has(out, "\\"));
    CHECK_FALSE(has(out, "\n"));
  }
  CHECK(c_comment("rows=4 cols=5") == "rows=4 cols=5");
}

TEST_CASE("a C literal holds any bytes") {
  CHECK(c_literal("plain") == "\"plain\"");
  CHECK(c_literal("a\"b\\c") == R"("a\"b\\c")");
  CHECK(c_literal("\n1") == R"("\0121")"); // the digit after the escape stays separate
  CHECK(c_literal("?\?/") == R"("\077\077/")");
  CHECK(c_literal("\xc3\xa9") == R"("\303\251")");
}

TEST_CASE("CMake neither expands nor splits a quoted text") {
  CHECK(cmake_quoted("-lm") == "\"-lm\"");
  CHECK(cmake_quoted("${x};@y@\"\\") == R"("\${x}\;\@y\@\"\\")");
  CHECK(cmake_quoted("a\nb") == "\"a b\"");
}

TEST_CASE("Markdown shows a text unchanged") {
  CHECK(markdown("a|b") == "a\\|b");
  CHECK(markdown("<img src=x>") == "&lt;img src=x&gt;");
  CHECK(markdown("[a](http://x)") == R"(\[a\](http\://x))");
  CHECK(markdown("see www.x.org: (a)") == R"(see www\.x.org: (a))");
  CHECK(markdown("a\n# b") == R"(a \# b)");
  CHECK(markdown_code("a`b``c") == "``` a`b``c ```");
  CHECK(markdown_code("O3") == "`O3`");
}

TEST_CASE("XML stays valid with any text") {
  CHECK(xml("<script>\"&'") == "&lt;script&gt;&quot;&amp;&apos;");
  CHECK(xml("a\x01\x1b[0m") == "a  [0m"); // XML allows no control characters
  CHECK(has(xml("\xff"), "\xef\xbf\xbd"));
}
