#include "config/document.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

using namespace kevolve;

TEST_CASE("non-ASCII characters may occur in quotes and comments") {
  for (const auto* text : {R"(a = "é" # é)", R"(a = 'é')", R"("é" = 1)", R"(a = "\"é\"")", R"(a = '\' # é)",
                           "a = \"\"\"é\n\"é\"\"\"", "a = '''\né'é'''", "a = \"\"\"x\\\n  y é\"\"\"", "a = \"\" # é"}) {
    CHECK_MESSAGE(!find_unreadable(text), text);
    CHECK_MESSAGE(parse_document(text, "f").has_value(), text);
  }
}

TEST_CASE("non-ASCII characters elsewhere are refused with their place") {
  struct example {
    const char* text;
    int line;
    int column;
  };
  for (const auto& x : std::vector<example>{{"é = 1", 1, 1},
                                            {"a = 'é'é", 1, 8},
                                            {"# é\na = é", 2, 5},
                                            {"a = \"x\né", 2, 1},
                                            {"a = \"\\é\"", 1, 7},
                                            {"a = \"\"\"x\\\n é\"\"\"", 2, 2}}) {
    auto parsed = parse_document(x.text, "f");
    REQUIRE_MESSAGE(!parsed, x.text);
    CHECK(to_string(parsed.error().front())
          == "f:" + std::to_string(x.line) + ":" + std::to_string(x.column)
                 + ": not TOML: a character beyond ASCII outside quotes and comments");
  }
}

TEST_CASE("a key with too many parts is refused with its place, however it is written") {
  const auto deep = [](size_t parts, const std::string& dot, const std::string& part) {
    std::string out = part;
    for (size_t i = 1; i < parts; ++i)
      out += dot + part;
    return out;
  };
  for (const auto* dot : {".", " . "})
    for (const auto* part : {"a", "\"a\"", "'x y'"}) {
      const auto key = deep(10'000, dot, part);
      for (const auto& text : {key + " = 1", "[" + key + "]", "x = { " + key + " = 1 }", "\n[[" + key + "]]"}) {
        const auto parsed = parse_document(text, "f");
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error().front().message == "not TOML: a key of too many parts");
      }
      CHECK(parse_document(deep(10, dot, part) + " = 1", "f"));
    }
  std::string numbers = "x = [";
  for (int i = 0; i < 1000; ++i)
    numbers += "1.5, ";
  CHECK(parse_document(numbers + "]", "f"));
}

TEST_CASE("a path that is no file is refused at once, and foreign text cannot control the terminal") {
  const auto pipe = std::string{"pipe-"} + std::to_string(::getpid());
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const auto text = read_text_file(pipe);
  ::unlink(pipe.c_str());
  REQUIRE_FALSE(text);
  CHECK(text.error().front().message == "cannot be read: it is a pipe, not a file");
  CHECK_FALSE(read_text_file("."));
  CHECK(to_string(diagnostic{"a\nb", 1, 2, "k\x1b[2J", "m\r"}).find_first_of("\n\x1b\r") == std::string::npos);
}

TEST_CASE("a document keeps its values, their places and the order of the file") {
  auto d = parse_document("z = 1\na = [1.5, \"x\"]\n[t]\nb = true\nc = 1979-05-27\n", "f");
  REQUIRE(d);
  REQUIRE(d->members.size() == 3);
  CHECK(d->members[0].key == "z");
  CHECK(d->find("z")->integer == 1);
  CHECK(d->find("a")->items[0].real == 1.5);
  CHECK(d->find("a")->items[1].text == "x");
  CHECK(d->find("a")->items[1].at.line == 2);
  CHECK(d->find("a")->items[1].at.column == 11);
  CHECK(d->find("t")->find("b")->boolean);
  CHECK(d->find("t")->find("c")->what == document_value::kind::date);
  CHECK(d->find("nobody") == nullptr);
}

TEST_CASE("an error is located at the value of its path, or at the nearest one above") {
  auto d = parse_document("[[a]]\nb = [\"x\", \"yz\"]\n", "f");
  REQUIRE(d);
  error_list errors{"f", *d};
  errors.add("a[0].b[1]", "one", 2);
  errors.add("a[0].c", "two");
  errors.add("q", "three");
  errors.add("q", "three");
  auto all = errors.take();
  REQUIRE(all.size() == 3);
  CHECK(to_string(all[0]) == "f:1:1: a[0].c: two");
  CHECK(to_string(all[1]) == "f:1:1: q: three");
  CHECK(to_string(all[2]) == "f:2:13: a[0].b[1]: one");
}

TEST_CASE("texts that trigger the parser's assertions are errors in their line, in every build") {
  for (const auto* text : {"a = 1\n[@b]\nc = 1\n", "a = 1\n[\x1e]", "a = 1\n[=]\n"}) {
    auto parsed = parse_document(text, "f");
    REQUIRE_MESSAGE(!parsed, text);
    CHECK_MESSAGE(parsed.error().front().line == 2, text);
  }
}
