#include "actors/synthesis/session.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace kevolve::synthesis;
using kevolve::llm::tool_call;
using json = nlohmann::json;

namespace {

session_rules rules() {
  session_rules r;
  r.answers.current = {{"candidate.c", "int a;\nint b;\n"}};
  r.answers.entry = "f";
  r.answers.flag_menu = {"O3"};
  return r;
}

tool_call call(const std::string& name, const json& arguments) {
  return {"id", name, arguments.dump()};
}

std::string refused(const session_rules& r, const tool_call& c) {
  auto s = begin_session(r);
  const auto step = take_call(s, r, c);
  CHECK(s.files[0].content == r.answers.current[0].content);
  CHECK(s.steps == 1);
  CHECK(step.need == step_need::nothing);
  CHECK(s.refusals == (step.why.what == refusal_class::none ? 0 : 1));
  return to_string(step.why.what);
}

} // namespace

TEST_CASE("a session reads, writes and replaces, and its files are the answer") {
  const auto r = rules();
  auto s = begin_session(r);
  const auto read = take_call(s, r, call("read_file", {{"path", "candidate.c"}}));
  CHECK(read.result == "<kevolve-data label=\"candidate.c\" lines=\"2\">\nint a;\nint b;\n</kevolve-data>\n");
  take_call(s, r, call("replace_in_file", {{"path", "candidate.c"}, {"search", "int a;"}, {"replace", "long a;"}}));
  CHECK(s.files[0].content == "long a;\nint b;\n");
  take_call(s, r, call("write_file", {{"path", "./candidate.c"}, {"content", "void f(void) {}\n"}}));
  CHECK(s.steps == 3);
  const auto a = session_answer(s, r, "Wrote it.\nflags: O3\n");
  REQUIRE(a.has_value());
  CHECK(a->files[0].content == "void f(void) {}\n");
  CHECK(a->summary == "Wrote it.");
  CHECK(a->flags == "O3");
  CHECK(session_answer(s, r, "flags: -o /etc/passwd").error().what == refusal_class::unknown_flags);
}

TEST_CASE("linting and searching are delegated to the session's owner") {
  const auto r = rules();
  auto s = begin_session(r);
  for (const char* nothing : {"{}", "", "null"}) {
    const auto lint = take_call(s, r, {"id", "lint", nothing});
    CHECK(lint.need == step_need::lint);
    CHECK(lint.why.what == refusal_class::none);
  }
  const auto search = take_call(s, r, call("search_knowledge", {{"query", "caches\u202e"}}));
  CHECK(search.need == step_need::search);
  CHECK(search.query == "caches");
  const auto code = take_call(s, r, call("search_code", {{"query", "wgmma"}, {"mode", "regex"}}));
  CHECK(code.need == step_need::search_code);
  CHECK(code.query == "wgmma");
  CHECK(code.mode == "regex");
  CHECK(tool_result(r, "compiler", "</kevolve-data>").find("</kevolve-data>")
        == std::string{"<kevolve-data label=\"compiler\" lines=\"1\">\n</kevolve\\-data>\n"}.size());
}

TEST_CASE("invalid calls are refused with their class and change nothing") {
  auto r = rules();
  r.answers.most_file = 40;
  CHECK(refused(r, call("bash", {{"command", "ls"}})) == "command");
  CHECK(refused(r, call("fly", {})) == "unknown_tool");
  CHECK(refused(r, call("", {})) == "unknown_tool");
  CHECK(refused(r, call("search_code", {{"query", "wgmma"}})) == "bad_arguments");
  CHECK(refused(r, call("write_file", {{"path", "candidate.c"}})) == "bad_arguments");
  CHECK(refused(r, call("write_file", {{"path", "candidate.c"}, {"content", 7}})) == "bad_arguments");
  CHECK(refused(r, {"id", "write_file", "{\"path\":\"candidate.c\",\"content\":"}) == "bad_arguments");
  CHECK(refused(r, {"id", "write_file", "[]"}) == "bad_arguments");
  CHECK(refused(r, {"id", "read_file", ""}) == "bad_arguments");
  CHECK(refused(r, {"id", "lint", "[1]"}) == "bad_arguments");
  CHECK(refused(r, {"id", "lint", std::string(100'000, '[')}) == "bad_arguments");
  std::string deep = R"({"path":"candidate.c","content":"x","more":)";
  deep += std::string(100'000, '[') + std::string(100'000, ']') + "}";
  CHECK(refused(r, {"id", "write_file", deep}) == "bad_arguments");
  CHECK(refused(r, call("read_file", {{"path", "/etc/passwd"}})) == "path_outside");
  CHECK(refused(r, call("write_file", {{"path", "../x"}, {"content", ""}})) == "path_outside");
  CHECK(refused(r, call("write_file", {{"path", "x.c"}, {"content", ""}})) == "unknown_file");
  CHECK(refused(r, call("write_file", {{"path", "candidate.c"}, {"content", std::string(41, 'x')}})) == "too_large");
  CHECK(refused(r, call("write_file", {{"path", "candidate.c"}, {"content", "a\u0007"}})) == "not_text");
  CHECK(refused(r, call("replace_in_file", {{"path", "candidate.c"}, {"search", "int c;"}, {"replace", ""}}))
        == "edit_not_found");
  CHECK(refused(r, call("replace_in_file", {{"path", "candidate.c"}, {"search", ""}, {"replace", ""}}))
        == "edit_ambiguous");
}

TEST_CASE("a session ends by its steps, its tokens or its refusals") {
  auto r = rules();
  r.most_steps = 3;
  r.most_tokens = 100;
  r.most_refusals = 2;
  auto s = begin_session(r);
  CHECK(session_end(s, r).empty());
  for (int i = 0; i < 3; ++i)
    take_call(s, r, call("lint", json::object()));
  CHECK(session_end(s, r).find("3 steps") != std::string::npos);
  s = begin_session(r);
  s.tokens = 100;
  CHECK(session_end(s, r).find("tokens") != std::string::npos);
  s = begin_session(r);
  take_call(s, r, call("fly", {}));
  take_call(s, r, call("lint", json::object())); // counts consecutive ones
  take_call(s, r, call("fly", {}));
  r.most_steps = 10;
  CHECK(session_end(s, r).empty());
  take_call(s, r, call("fly", {}));
  CHECK(session_end(s, r).find("refused") != std::string::npos);
}

TEST_CASE("a session without files uses its final text") {
  const auto r = rules();
  const auto s = begin_session(r);
  const auto nothing = session_answer(s, r, "I give up.");
  REQUIRE_FALSE(nothing.has_value());
  CHECK(nothing.error().what == refusal_class::no_code);
  CHECK(session_answer(s, r, "```c\nvoid f(void) {}\n```\n").has_value());
}

TEST_CASE("the tools have schemas, in a fixed order") {
  const auto tools = session_tools();
  REQUIRE(tools.size() == 5);
  CHECK(tools[0].name == "read_file");
  CHECK(tools[4].name == "search_knowledge");
  const auto with_code = session_tools(true);
  REQUIRE(with_code.size() == 6);
  CHECK(with_code[5].name == "search_code");
  for (const auto& t : with_code) {
    const auto schema = json::parse(t.parameters);
    CHECK(schema["type"] == "object");
    CHECK(schema["additionalProperties"] == false);
  }
}
