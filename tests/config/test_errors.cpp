#include "tests/config/load_any.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <fstream>

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

TEST_CASE("an unreadable reference is not reported as empty") {
  auto folder = std::filesystem::temp_directory_path() / ("kevolve-test-task-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder / "plain.c"); // a folder in place of a file, which even root cannot read
  auto text = read_text_file((source_folder() / "tests/config/good/plain.task.toml").string());
  REQUIRE(text);
  const auto file = text->find("file = \"");
  REQUIRE(file != std::string::npos);
  const auto end = text->find('"', file + 8);
  text->replace(file, end - file + 1, "file = \"plain.c\"");
  std::ofstream{folder / "plain.task.toml"} << *text;
  auto loaded = load_task((folder / "plain.task.toml").string());
  std::filesystem::remove_all(folder);
  REQUIRE(!loaded);
  const auto said = to_string(loaded.error());
  CHECK(said.find("plain.c' cannot be read: Is a directory") != std::string::npos);
  CHECK(said.find("is empty") == std::string::npos);
}

TEST_CASE("a wrong duration is reported with the syntax") {
  auto campaign = (source_folder() / "tests/config/good/mixed.toml").string();
  auto wrong = load_campaign(campaign, {"budget.wall=true"});
  REQUIRE(!wrong);
  CHECK(to_string(wrong.error())
        == "--set budget.wall: expected a duration such as \"90s\" or \"1h30m\", or a number of seconds, found true or "
           "false\n");
  auto seconds = load_campaign(campaign, {"budget.wall=45"});
  REQUIRE(seconds);
  CHECK(seconds->budget.wall_s == 45.0);
}

TEST_CASE("an edit distance counts insertions, deletions, substitutions and swaps") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("role", "rool") == 2);
  CHECK(edit_distance("transfrom", "transform") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("a suggestion is a similar word, or the list of all") {
  CHECK(suggestion("rowz", {"rows", "cols"}) == "; did you mean 'rows'?");
  CHECK(suggestion("zzz", {"rows", "cols"}) == "; there are: rows, cols");
  CHECK(suggestion("zzz", {}).empty());
}
