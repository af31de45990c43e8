#include "runtime/node/admin/diff.hpp"

#include <doctest/doctest.h>

#include <random>
#include <sstream>

using kevolve::unified_diff;

namespace {

// Applies the output of unified_diff, reading no more of it than `patch` would.
std::string apply_patch(const std::string& before, const std::string& diff) {
  std::vector<std::string> lines;
  for (size_t from = 0; from < before.size();) {
    auto end = before.find('\n', from);
    auto n = end == std::string::npos ? before.size() - from : end + 1 - from;
    lines.push_back(before.substr(from, n));
    from += n;
  }
  std::string out;
  size_t at = 0;
  std::istringstream in{diff};
  std::string line;
  std::string last_kind;
  while (std::getline(in, line)) {
    if (line.starts_with("---") || line.starts_with("+++"))
      continue;
    if (line.starts_with("@@")) {
      auto start = std::stoul(line.substr(line.find('-') + 1));
      auto empty = line.substr(0, line.find('+')).find(",0 ") != std::string::npos;
      auto upto = empty ? start : start - 1;
      while (at < upto)
        out += lines.at(at++);
    } else if (line.starts_with("\\")) {
      if (last_kind != "-")
        out.pop_back(); // the previous line has no newline
    } else {
      last_kind = line.substr(0, 1);
      auto text = line.substr(1) + "\n";
      if (last_kind != "+") {
        auto whole = lines.at(at) == text || lines.at(at) + "\n" == text;
        REQUIRE(whole);
        ++at;
      }
      if (last_kind != "-")
        out += text;
    }
  }
  while (at < lines.size())
    out += lines.at(at++);
  return out;
}

size_t changes(const std::string& diff) {
  size_t n = 0;
  std::istringstream in{diff};
  for (std::string line; std::getline(in, line);)
    if ((line.starts_with("+") && !line.starts_with("+++")) || (line.starts_with("-") && !line.starts_with("---")))
      ++n;
  return n;
}

} // namespace

TEST_CASE("equal texts have no difference") {
  CHECK(unified_diff("a\nb\n", "a\nb\n", "x", "y").empty());
  CHECK(unified_diff("", "", "x", "y").empty());
}

TEST_CASE("a changed line is written as diff -u writes it") {
  CHECK(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "a", "b")
        == "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST_CASE("text from nothing and to nothing names line 0") {
  CHECK(unified_diff("", "x\n", "a", "b") == "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n");
  CHECK(unified_diff("x\n", "", "a", "b") == "--- a\n+++ b\n@@ -1 +0,0 @@\n-x\n");
}

TEST_CASE("a missing newline at the end is a difference") {
  CHECK(unified_diff("x", "x\n", "a", "b") == "--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n");
}

TEST_CASE("changes far apart are in separate hunks") {
  std::string before;
  for (int i = 0; i < 40; ++i)
    before += std::to_string(i) + "\n";
  auto after = before;
  after.replace(after.find("5\n"), 1, "five");
  after.replace(after.find("30\n"), 2, "thirty");
  auto diff = unified_diff(before, after, "a", "b");
  size_t hunks = 0;
  for (size_t at = 0; (at = diff.find("@@ -", at)) != std::string::npos; ++at)
    ++hunks;
  CHECK(hunks == 2);
  CHECK(apply_patch(before, diff) == after);
}

TEST_CASE("the difference of a random edit applies and is no longer than the edit") {
  std::mt19937 random{7};
  auto draw = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> lines;
    for (unsigned i = 0, n = draw(40); i < n; ++i)
      lines.push_back(std::string(1, static_cast<char>('a' + draw(5))) + "\n");
    auto edited = lines;
    auto edits = draw(8);
    for (unsigned i = 0; i < edits; ++i) {
      auto at = edited.empty() ? 0U : draw(static_cast<unsigned>(edited.size()));
      if (edited.empty() || draw(2) == 0)
        edited.insert(edited.begin() + at, std::string(1, static_cast<char>('a' + draw(6))) + "\n");
      else
        edited.erase(edited.begin() + at);
    }
    std::string before;
    std::string after;
    for (const auto& l : lines)
      before += l;
    for (const auto& l : edited)
      after += l;
    auto diff = unified_diff(before, after, "a", "b", draw(4));
    CHECK(apply_patch(before, diff) == after);
    CHECK(changes(diff) <= edits);
  }
}

TEST_CASE("texts without a common line become one replacement") {
  std::string before;
  std::string after;
  for (int i = 0; i < 3000; ++i) {
    before += "old " + std::to_string(i) + "\n";
    after += "new " + std::to_string(i) + "\n";
  }
  auto diff = unified_diff(before, after, "a", "b");
  CHECK(changes(diff) == 6000);
  CHECK(apply_patch(before, diff) == after);
}
