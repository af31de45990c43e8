#include "actors/synthesis/conversation.hpp"

#include "backends/llm/protocol/tool_turn.hpp"

#include <doctest/doctest.h>

using namespace kevolve::synthesis;
using kevolve::llm::calls_text;

namespace {

answer_rules rules() {
  answer_rules r;
  r.current = {{"candidate.c", "int a;\n"}};
  r.entry = "f";
  return r;
}

conversation with_tools(int64_t most_tokens = 100'000) {
  return begin_conversation(rules(), 3, most_tokens);
}

const std::string code = "summary: s\n```c\nvoid f(void) {}\n```\n";

std::string call_of(const std::string& name, const std::string& arguments) {
  return calls_text({"", {{"1", name, arguments}}});
}

const auto writes = call_of("write_file", R"({"path":"candidate.c","content":"void f(void) {}\n"})");

} // namespace

TEST_CASE("a reply without a candidate is returned once; a second one ends the step") {
  auto c = begin_conversation(rules());
  CHECK(read_reply(c, "hm", false, 10).kind == reading_kind::mend);
  auto again = c;
  CHECK(read_reply(again, "hm", false, 10).kind == reading_kind::refused);
  const auto good = read_reply(c, code, false, 10);
  CHECK(good.kind == reading_kind::candidate);
  CHECK(good.found.summary == "s");
}

TEST_CASE("calls of unknown tools are refused") {
  auto c = begin_conversation(rules());
  const auto r = read_reply(c, writes, true, 10);
  CHECK(r.kind == reading_kind::refused);
  CHECK(r.why.what == refusal_class::unknown_tool);
}

TEST_CASE("the files written in a session are its candidate, and the final text describes it") {
  auto c = with_tools();
  const auto r = read_reply(c, writes, true, 10);
  REQUIRE(r.kind == reading_kind::calls);
  REQUIRE(r.calls.size() == 1);
  CHECK(r.calls[0].step.need == step_need::nothing);
  const auto end = read_reply(c, "summary: emptied\n", false, 10);
  REQUIRE(end.kind == reading_kind::candidate);
  CHECK(end.found.summary == "emptied");
  CHECK(end.found.files[0].content == "void f(void) {}\n");
}

TEST_CASE("after its last call a model may give its final text; another call ends the session") {
  auto c = with_tools();
  CHECK(read_reply(c, call_of("lint", "{}"), true, 10).kind == reading_kind::calls);
  const auto three = calls_text({"", {{"1", "lint", "{}"}, {"2", "lint", "{}"}, {"3", "write_file", "{}"}}});
  const auto last = read_reply(c, three, true, 10);
  REQUIRE(last.kind == reading_kind::calls);
  REQUIRE(last.calls.size() == 3);
  CHECK(last.calls[1].step.need == step_need::lint);
  CHECK(last.calls[2].step.result.find("no calls are left") != std::string::npos);
  auto talks = c;
  CHECK(read_reply(talks, code, false, 10).kind == reading_kind::candidate);
  const auto end = read_reply(c, call_of("lint", "{}"), true, 10);
  CHECK(end.kind == reading_kind::refused);
  CHECK(end.why.detail.find("used its 3 steps") != std::string::npos);
  c = with_tools();
  CHECK(read_reply(c, writes, true, 10).kind == reading_kind::calls);
  CHECK(read_reply(c, three, true, 10).kind == reading_kind::calls);
  CHECK(read_reply(c, call_of("lint", "{}"), true, 10).kind == reading_kind::candidate);
}

TEST_CASE("a session ends with its tokens, or with repeated calls of unknown tools") {
  auto c = with_tools(1'000);
  CHECK(read_reply(c, call_of("lint", "{}"), true, 900).kind == reading_kind::calls);
  auto end = read_reply(c, call_of("lint", "{}"), true, 900);
  CHECK(end.kind == reading_kind::refused);
  CHECK(end.why.detail.find("used its 1000 tokens") != std::string::npos);
  c = begin_conversation(rules(), 30, 100'000);
  const auto shells =
      calls_text({"", {{"1", "bash", "{}"}, {"2", "bash", "{}"}, {"3", "bash", "{}"}, {"4", "lint", "{}"}}});
  CHECK(read_reply(c, shells, true, 10).calls.back().step.need == step_need::nothing);
  end = read_reply(c, writes, true, 10);
  CHECK(end.kind == reading_kind::refused);
  CHECK(end.why.detail.find("3 refused calls in a row") != std::string::npos);
}

TEST_CASE("a session is repaired once, and an interrupted one ends with its files") {
  auto c = with_tools();
  CHECK(read_reply(c, "hm", false, 10).kind == reading_kind::mend);
  CHECK(cut_short(c, {}, "ended").kind == reading_kind::refused);
  CHECK(read_reply(c, writes, true, 10).kind == reading_kind::calls);
  CHECK(cut_short(c, {}, "ended").kind == reading_kind::candidate);
}
