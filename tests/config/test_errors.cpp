#include "tests/config/load_any.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::testing;

TEST_CASE("a bad file yields exactly the errors written beside it") {
  auto folder = source_folder() / "tests/config/bad";
  auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  auto files = toml_files(".");
  CHECK(files.size() >= 15);
  for (const auto& file : files) {
    auto name = file.filename().string();
    CAPTURE(name);
    auto expected = read_text_file(name + ".expected");
    REQUIRE_MESSAGE(expected.has_value(), "no file of expected errors");
    CHECK(to_string(load_any(name)) == *expected);
  }
  std::filesystem::current_path(before);
}

TEST_CASE("a file that cannot be read is one error that names it") {
  auto missing = load_task("/nonexistent/x.task.toml");
  REQUIRE(!missing);
  CHECK(to_string(missing.error()) == "/nonexistent/x.task.toml: cannot be read: No such file or directory\n");
  auto folder = load_campaign("/");
  REQUIRE(!folder);
  CHECK(to_string(folder.error()) == "/: cannot be read: Is a directory\n");
}

TEST_CASE("an edit distance counts insertions, deletions, substitutions and swaps") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("role", "rool") == 2);
  CHECK(edit_distance("transfrom", "transform") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("a suggestion is a close word, or all there are") {
  CHECK(suggestion("rowz", {"rows", "cols"}) == "; did you mean 'rows'?");
  CHECK(suggestion("zzz", {"rows", "cols"}) == "; there are: rows, cols");
  CHECK(suggestion("zzz", {}).empty());
}
