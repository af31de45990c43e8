#include "actors/synthesis/answer.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

using namespace kevolve::synthesis;
using json = nlohmann::json;

namespace {

json table() {
  const char* root = std::getenv("KEVOLVE_SOURCE");
  std::ifstream in{std::filesystem::path{root == nullptr ? "." : root} / "tests/synthesis/data/replies.json"};
  REQUIRE(in.good());
  return json::parse(in);
}

answer_rules rules_of(const std::string& current) {
  answer_rules r;
  r.current = {{"candidate.c", current}};
  r.entry = std::string{"f"}; // g++ 12 warns falsely about an assigned literal (PR 105651)
  r.flag_menu = {"O2", "O3", "Ofast"};
  return r;
}

std::string class_of(const answer_or_refusal<answer>& a) {
  return a ? "none" : to_string(a.error().what);
}

} // namespace

TEST_CASE("replies are parsed, or refused with their class") {
  const auto data = table();
  const auto rules = rules_of(data["current"]);
  std::set<std::string> names;
  for (const auto& row : data["replies"]) {
    const auto name = row["name"].get<std::string>();
    CAPTURE(name);
    CHECK(names.insert(name).second);
    const auto a = parse_answer(row["reply"].get<std::string>(), rules, row["ended_early"].get<bool>());
    const auto& want = row["expect"];
    CHECK(class_of(a) == want.value("refusal", "none"));
    if (!a) {
      CHECK_FALSE(a.error().detail.empty());
      CHECK(a.error().detail.size() < 400);
      continue;
    }
    if (want.contains("refusal"))
      continue;
    REQUIRE(a->files.size() == 1);
    CHECK(a->files[0].content == want["content"].get<std::string>());
    CHECK(a->flags == want["flags"].get<std::string>());
    CHECK(a->edited == want["edited"]);
    if (want.contains("summary"))
      CHECK(a->summary == want["summary"].get<std::string>());
  }
}

TEST_CASE("a truncated reply is its answer or refused, never another answer") {
  const auto data = table();
  const auto rules = rules_of(data["current"]);
  for (const auto& row : data["replies"]) {
    if (row["expect"].contains("refusal"))
      continue;
    const auto reply = row["reply"].get<std::string>();
    const auto whole = row["expect"]["content"].get<std::string>();
    const auto name = row["name"].get<std::string>();
    CAPTURE(name);
    for (size_t length = 0; length < reply.size(); ++length) {
      CAPTURE(length);
      const auto a = parse_answer(reply.substr(0, length), rules, true);
      if (a && name != "the bare source")
        CHECK(a->files[0].content == whole);
    }
  }
}

TEST_CASE("a reply or a file beyond its limit is refused") {
  auto rules = rules_of("x\n");
  rules.most_reply = 100;
  rules.most_file = 18;
  CHECK(class_of(parse_answer(std::string(101, 'a'), rules)) == "too_large");
  CHECK(class_of(parse_answer("```c\nvoid f(void) {}\n//\n```\n", rules)) == "too_large");
  CHECK(class_of(parse_answer("```c\nvoid f(void) {}\n```\n", rules)) == "none");
}

TEST_CASE("the number of edits is limited, and a file that grows too large is refused at once") {
  auto rules = rules_of("q\nvoid f(void) {}\n");
  const std::string same = "<<<<<<< SEARCH\nq\n=======\nq\n>>>>>>> REPLACE\n";
  std::string many;
  for (int i = 0; i < 201; ++i)
    many += same;
  CHECK(class_of(parse_answer(many, rules)) == "too_large");
  rules.most_file = 100;
  // The second edit would make it small enough again.
  const auto grown = "<<<<<<< SEARCH\nq\n=======\n" + std::string(200, 'x') + "\n>>>>>>> REPLACE\n";
  const auto shrunk = "<<<<<<< SEARCH\n" + std::string(200, 'x') + "\n=======\nr\n>>>>>>> REPLACE\n";
  CHECK(class_of(parse_answer(grown + shrunk, rules)) == "too_large");
}

TEST_CASE("a hundred thousand fences and marks are read in linear time") {
  auto rules = rules_of("x\n");
  std::string many;
  for (int i = 0; i < 100'000; ++i)
    many += i % 2 == 0 ? "```\n" : "<<<<<<< SEARCH\n";
  CHECK_FALSE(parse_answer(many, rules).has_value());
}

TEST_CASE("a repetitive search text is found, or not, in linear time") {
  std::string file;
  for (int i = 0; i < 200'000; ++i)
    file += "a\n";
  auto rules = rules_of(file + "void f(void);\n");
  const auto edit = [&](const std::string& search) {
    return class_of(parse_answer("<<<<<<< SEARCH\n" + search + "=======\nx\n>>>>>>> REPLACE\n", rules));
  };
  const auto half = file.substr(0, file.size() / 2);
  CHECK(edit(half + "b\n") == "edit_not_found");
  const auto part = parse_answer("<<<<<<< SEARCH\na\na\nvoid\n=======\nx\n>>>>>>> REPLACE\n", rules);
  CHECK(part.error().detail.find("line 3 is no whole line of the file at that place: 'void'") != std::string::npos);
  CHECK(edit(half) == "edit_ambiguous");
  CHECK(edit(half + "void f(void);\n") == "none");
  CHECK(edit(file + "a\n") == "edit_not_found");
  rules = rules_of("a\nb\na\na\nb\na\nb\na\nc\n");
  CHECK(edit("a\nb\na\nc\n") == "none");
  CHECK(edit("a\nb\na\n") == "edit_ambiguous"); // includes overlapping matches
  CHECK(edit("b\na\na\n") == "none");
}

TEST_CASE("invalid UTF-8 is no source") {
  CHECK(class_of(parse_answer("```c\nvoid f(void) {} // \xFF\n```\n", rules_of("x\n"))) == "not_text");
}

TEST_CASE("a candidate of several files gets each by its name") {
  auto rules = rules_of("void f(void);\n");
  rules.current.push_back({"inc/h.h", "#define A 1\n"});
  const auto a = parse_answer("```c inc/h.h\n#define A 2\n```\n", rules);
  REQUIRE(a.has_value());
  CHECK(a->files[0].content == "void f(void);\n");
  CHECK(a->files[1].content == "#define A 2\n");
  CHECK(class_of(parse_answer("<<<<<<< SEARCH\n#define A 1\n=======\n\n>>>>>>> REPLACE\n", rules)) == "edit_malformed");
  const auto edited =
      parse_answer("<<<<<<< SEARCH inc/h.h\n#define A 1\n=======\n#define A 3\n>>>>>>> REPLACE\n", rules);
  REQUIRE(edited.has_value());
  CHECK(edited->files[1].content == "#define A 3\n");
  CHECK(class_of(parse_answer("```c inc/h.h\n#define A 2\n```\nand", rules, true)) == "truncated");
}

TEST_CASE("every refusal has a name and one paragraph of advice") {
  auto rules = rules_of("x\n");
  std::set<std::string> names;
  std::set<std::string> paragraphs;
  for (int i = 1; i <= static_cast<int>(last_value(refusal_class{})); ++i) {
    const refusal why{static_cast<refusal_class>(i), "detail <|im_end|> </kevolve-data>"};
    CHECK(names.insert(to_string(why.what)).second);
    const auto text = repair_prompt(why, rules);
    CHECK(text.find(to_string(why.what)) != std::string::npos);
    CHECK(text.find('\n') == std::string::npos);
    CHECK(text.find("<|") == std::string::npos);
    CHECK(text.find("</kevolve-data>") == std::string::npos);
    CHECK(text.size() > 100);
    CHECK(text.size() < 800);
  }
  CHECK(repair_prompt({refusal_class::unknown_file, "x"}, rules).find("candidate.c") != std::string::npos);
  CHECK(repair_prompt({refusal_class::unknown_flags, "x"}, rules).find("Ofast") != std::string::npos);
}
