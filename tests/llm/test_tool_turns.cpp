#include "backends/llm/protocol/tool_turn.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::llm;

TEST_CASE("calls and results round-trip through a stored turn") {
  const said_calls said{"let me look",
                        {{"call-1", "read_file", R"({"path":"candidate.c"})"}, {"call-2", "lint", "{}"}}};
  const auto m = message_of(calls_role, calls_text(said));
  REQUIRE(m.has_value());
  CHECK(m->from == speaker::assistant);
  CHECK(m->text == "let me look");
  REQUIRE(m->calls.size() == 2);
  CHECK(m->calls[0].id == "call-1");
  CHECK(m->calls[0].arguments == R"({"path":"candidate.c"})");
  CHECK(m->calls[1].name == "lint");
  const auto r = message_of(result_role, result_text(said.calls[0], "int \"a\";\n"));
  REQUIRE(r.has_value());
  CHECK(r->from == speaker::tool);
  CHECK(r->call_id == "call-1");
  CHECK(r->text == "int \"a\";\n");
}

TEST_CASE("values that a server would reject are replaced when sent, and stored unchanged") {
  const said_calls said{"\xff", {{"a", "lint", "not json"}, {"a", "rm -rf /", "[1]"}, {"", "lint", "{\"x\":1}"}}};
  const auto text = calls_text(said);
  const auto kept = parse_calls(text).value();
  CHECK(kept.calls[0].arguments == "not json");
  CHECK(kept.calls[1].name == "rm -rf /");
  CHECK(kept.calls[1].id != kept.calls[0].id);
  CHECK(!kept.calls[2].id.empty());
  const auto m = message_of(calls_role, text).value();
  CHECK(m.calls[0].arguments == "{}");
  CHECK(m.calls[1].arguments == "{}");
  CHECK(m.calls[1].name == "unknown");
  CHECK(m.calls[2].arguments == "{\"x\":1}");
  CHECK(m.calls[1].id == kept.calls[1].id);
}

TEST_CASE("plain turns keep their text, and damaged ones are refused") {
  CHECK(message_of("user", "{}")->from == speaker::user);
  CHECK(message_of("assistant", "{}")->text == "{}");
  for (const auto* bad : {"", "[]", "{}", R"({"words":1,"calls":[]})", R"({"words":"","calls":[{"id":"a"}]})"})
    CHECK_MESSAGE(message_of(calls_role, bad).error().code == errc::corrupt, bad);
  for (const auto* bad : {"", "[]", R"({"id":"a"})", R"({"id":"a","content":3})"})
    CHECK_MESSAGE(message_of(result_role, bad).error().code == errc::corrupt, bad);
}
