#include "backends/llm/protocol/wire.hpp"
#include "backends/llm/protocol/wire_table.hpp"
#include "runtime/base/provider_kinds.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace kevolve::llm;

namespace {

request example() {
  request r;
  r.model = "m";
  r.system = "You are.";
  r.cache_system = true;
  r.tools = {{"lint", "Lints.", R"({"type":"object"})"}};
  message user;
  user.text = "go";
  user.cache_to_here = true;
  message assistant;
  assistant.from = speaker::assistant;
  assistant.calls = {{"c1", "lint", "{}"}, {"c2", "lint", R"({"a":1})"}};
  message first;
  first.from = speaker::tool;
  first.call_id = "c1";
  first.text = "ok";
  auto second = first;
  second.call_id = "c2";
  second.cache_to_here = true;
  r.messages = {user, assistant, first, second};
  r.max_tokens = 100;
  r.temperature = 0.5;
  r.seed = 7;
  r.cache_key = "k";
  r.extra = R"({"reasoning_effort":"low"})";
  return r;
}

json body_of(wire_format f, const request& r) {
  return json::parse(encode_request(f, r).value());
}

} // namespace

TEST_CASE("a request in the form of OpenAI Chat Completions") {
  CHECK(body_of(wire_format::openai_chat, example()) == json::parse(R"({
    "model":"m",
    "tools":[{"type":"function","function":{"name":"lint","description":"Lints.","parameters":{"type":"object"}}}],
    "messages":[
      {"role":"system","content":"You are."},
      {"role":"user","content":"go"},
      {"role":"assistant","content":"","tool_calls":[
        {"id":"c1","type":"function","function":{"name":"lint","arguments":"{}"}},
        {"id":"c2","type":"function","function":{"name":"lint","arguments":"{\"a\":1}"}}]},
      {"role":"tool","tool_call_id":"c1","content":"ok"},
      {"role":"tool","tool_call_id":"c2","content":"ok"}],
    "max_tokens":100,"temperature":0.5,"stream":true,"seed":7,"stream_options":{"include_usage":true},
    "prompt_cache_key":"k","reasoning_effort":"low"})"));
  auto other = example();
  other.max_tokens_name = "max_completion_tokens";
  other.ask_usage = false;
  const auto body = body_of(wire_format::openai_chat, other);
  CHECK(body.contains("max_completion_tokens"));
  CHECK_FALSE(body.contains("max_tokens"));
  CHECK_FALSE(body.contains("stream_options"));
  other.stream = false;
  other.ask_usage = true;
  CHECK_FALSE(body_of(wire_format::openai_chat, other).contains("stream_options"));
}

TEST_CASE("a request in the form of OpenAI Responses") {
  CHECK(body_of(wire_format::openai_responses, example()) == json::parse(R"({
    "model":"m",
    "tools":[{"type":"function","name":"lint","description":"Lints.","parameters":{"type":"object"}}],
    "instructions":"You are.",
    "input":[
      {"role":"user","content":[{"type":"input_text","text":"go"}]},
      {"type":"function_call","call_id":"c1","name":"lint","arguments":"{}"},
      {"type":"function_call","call_id":"c2","name":"lint","arguments":"{\"a\":1}"},
      {"type":"function_call_output","call_id":"c1","output":"ok"},
      {"type":"function_call_output","call_id":"c2","output":"ok"}],
    "max_output_tokens":100,"temperature":0.5,"stream":true,"store":false,"prompt_cache_key":"k","reasoning_effort":"low"})"));
}

TEST_CASE("a request in the form of Anthropic Messages") {
  CHECK(body_of(wire_format::anthropic, example()) == json::parse(R"({
    "model":"m",
    "tools":[{"name":"lint","description":"Lints.","input_schema":{"type":"object"}}],
    "system":[{"type":"text","text":"You are.","cache_control":{"type":"ephemeral"}}],
    "messages":[
      {"role":"user","content":[{"type":"text","text":"go","cache_control":{"type":"ephemeral"}}]},
      {"role":"assistant","content":[
        {"type":"tool_use","id":"c1","name":"lint","input":{}},
        {"type":"tool_use","id":"c2","name":"lint","input":{"a":1}}]},
      {"role":"user","content":[
        {"type":"tool_result","tool_use_id":"c1","content":"ok"},
        {"type":"tool_result","tool_use_id":"c2","content":"ok","cache_control":{"type":"ephemeral"}}]}],
    "max_tokens":100,"temperature":0.5,"stream":true,"reasoning_effort":"low"})"));
}

TEST_CASE("requests with a common prefix have bodies with a common prefix") {
  for (const auto f : {wire_format::openai_chat, wire_format::openai_responses, wire_format::anthropic}) {
    auto a = example();
    auto b = example();
    b.messages[0].text = "other";
    b.seed = 8;
    b.temperature = 0.1;
    const auto x = encode_request(f, a).value();
    const auto y = encode_request(f, b).value();
    CHECK(x == encode_request(f, a).value());
    const auto common = static_cast<size_t>(std::mismatch(x.begin(), x.end(), y.begin(), y.end()).first - x.begin());
    CHECK(common >= x.find("You are.") + 8);
    CHECK(common >= x.find("Lints.") + 6);
    CHECK(common == x.find("\"go\"") + 1);
  }
}

TEST_CASE("invalid requests are refused by name") {
  auto r = example();
  r.tools[0].parameters = "[";
  CHECK(encode_request(wire_format::openai_chat, r).error().detail.find("lint") != std::string::npos);
  r = example();
  r.extra = "[1]";
  CHECK_FALSE(encode_request(wire_format::openai_chat, r).has_value());
  for (const char* member : {"model", "messages", "input", "instructions", "system", "stream", "stream_options"}) {
    r.extra = json{{member, 1}}.dump();
    const auto no = encode_request(wire_format::anthropic, r);
    REQUIRE_FALSE(no.has_value());
    CHECK(no.error().detail.find(member) != std::string::npos);
  }
  r = example();
  r.max_tokens.reset();
  CHECK_FALSE(encode_request(wire_format::anthropic, r).has_value());
  CHECK(encode_request(wire_format::openai_chat, r).has_value());
  CHECK_FALSE(parse_wire_format("openai").has_value());
}

TEST_CASE("each wire format is found by its name, encodes a request and reads a reply") {
  for (const auto& w : wire_table()) {
    CAPTURE(w.name);
    CHECK(parse_wire_format(w.name).value() == w.format);
    CHECK(path_of(w.format).front() == '/');
    const auto body = encode_request(w.format, example());
    REQUIRE(body.has_value());
    CHECK(json::parse(*body)["model"] == "m");
    CHECK(decode_reply(w.format, R"({"error": {"message": "overloaded"}})").error.message == "overloaded");
  }
  const auto no = parse_wire_format("openai");
  REQUIRE_FALSE(no.has_value());
  CHECK(no.error().detail == "no wire format 'openai'; there are: openai-chat, openai-responses, anthropic");
}

TEST_CASE("the wire format of every provider has its own row") {
  for (const auto& provider : kevolve::provider_kinds())
    CHECK_MESSAGE(entry_of(provider.wire).format == provider.wire,
                  "provider '" << provider.name << "' needs a row in backends/llm/protocol/wire_table.cpp");
}

TEST_CASE("invalid UTF-8 does not prevent sending a request") {
  auto r = example();
  r.messages[0].text = "a\xFFz";
  CHECK(body_of(wire_format::openai_chat, r)["messages"][1]["content"] == "a\xEF\xBF\xBDz");
}

TEST_CASE("an empty text is not sent as a block to Anthropic") {
  auto r = example();
  r.messages[1].text.clear();
  r.messages[1].calls = {{"c1", "lint", "not JSON"}};
  const auto body = body_of(wire_format::anthropic, r);
  REQUIRE(body["messages"][1]["content"].size() == 1);
  CHECK(body["messages"][1]["content"][0]["input"] == json::object());
}
