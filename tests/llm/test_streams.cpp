#include "tests/llm/data.hpp"

#include "backends/llm/protocol/failure.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace kevolve::llm::testing {

namespace {

std::filesystem::path data_folder() {
  const char* root = std::getenv("KEVOLVE_SOURCE");
  return std::filesystem::path{root == nullptr ? "." : root} / "tests/llm/data";
}

} // namespace

std::string read_data(const std::string& name) {
  std::ifstream in{data_folder() / name, std::ios::binary};
  REQUIRE_MESSAGE(in.good(), name);
  return {std::istreambuf_iterator<char>{in}, {}};
}

json read_table(const std::string& name) {
  return json::parse(read_data(name));
}

reply decode_stream(wire_format f, std::string_view bytes, size_t piece) {
  reply_stream s{f};
  reply out;
  size_t ends = 0;
  const auto take = [&](const std::vector<event>& events) {
    for (const auto& e : events) {
      CHECK(ends == 0);
      ends += e.kind == event_kind::done || e.kind == event_kind::error ? 1 : 0;
      apply(out, e);
    }
  };
  for (size_t at = 0; at < bytes.size(); at += piece)
    take(s.feed(bytes.substr(at, piece)));
  take(s.end());
  CHECK(ends == 1);
  CHECK(s.over());
  CHECK(out.complete != static_cast<bool>(out.error));
  return out;
}

} // namespace kevolve::llm::testing

using namespace kevolve::llm;
using namespace kevolve::llm::testing;

namespace {

std::optional<int64_t> count(const json& usage, const char* name) {
  return usage.contains(name) ? std::optional<int64_t>{usage[name].get<int64_t>()} : std::nullopt;
}

void check_reply(const reply& r, const json& want) {
  CHECK(r.complete);
  CHECK(r.text == want["text"].get<std::string>());
  CHECK(r.reasoning == want.value("reasoning", ""));
  CHECK(r.refusal == want.value("refusal", ""));
  CHECK(to_string(r.finish) == want["finish"].get<std::string>());
  if (want.contains("id"))
    CHECK(r.id == want["id"].get<std::string>());
  if (want.contains("model"))
    CHECK(r.model == want["model"].get<std::string>());
  const auto calls = want.value("calls", json::array());
  REQUIRE(r.calls.size() == calls.size());
  for (size_t i = 0; i < calls.size(); ++i) {
    CHECK(r.calls[i].id == calls[i][0].get<std::string>());
    CHECK(r.calls[i].name == calls[i][1].get<std::string>());
    CHECK(r.calls[i].arguments == calls[i][2].get<std::string>());
  }
  CHECK(r.trace.prompt_ids == want.value("prompt_token_ids", std::vector<int64_t>{}));
  CHECK(r.trace.ids == want.value("token_ids", std::vector<int64_t>{}));
  CHECK(r.trace.logprobs == want.value("logprobs", std::vector<double>{}));
  const auto& usage = want["usage"];
  CHECK(r.usage.input == count(usage, "input"));
  CHECK(r.usage.cached_read == count(usage, "cached_read"));
  CHECK(r.usage.cache_write == count(usage, "cache_write"));
  CHECK(r.usage.cache_write_1h == count(usage, "cache_write_1h"));
  CHECK(r.usage.output == count(usage, "output"));
  CHECK(r.usage.reasoning == count(usage, "reasoning"));
  CHECK(r.usage.service_tier == want.value("tier", ""));
}

std::vector<std::string> stream_names() {
  std::vector<std::string> out;
  for (const auto& f : std::filesystem::directory_iterator{std::filesystem::path{std::getenv("KEVOLVE_SOURCE")}
                                                           / "tests/llm/data/streams"})
    if (f.path().extension() == ".sse")
      out.push_back(f.path().stem().string());
  return out;
}

} // namespace

TEST_CASE("recorded streams decode to their reply, in pieces of any size") {
  const auto names = stream_names();
  CHECK(names.size() >= 12);
  for (const auto& name : names) {
    CAPTURE(name);
    const auto want = read_table("streams/" + name + ".json");
    const auto bytes = read_data("streams/" + name + ".sse");
    const auto format = kevolve::llm::parse_wire_format(want["wire"].get<std::string>()).value();
    for (size_t piece : {size_t{1}, size_t{2}, size_t{3}, size_t{7}, size_t{64}, bytes.size()})
      check_reply(decode_stream(format, bytes, piece), want);
  }
}

TEST_CASE("a stream cut before its terminal marker is never a success, and keeps what arrived") {
  for (const auto& name : stream_names()) {
    CAPTURE(name);
    const auto want = read_table("streams/" + name + ".json");
    const auto bytes = read_data("streams/" + name + ".sse");
    const auto format = kevolve::llm::parse_wire_format(want["wire"].get<std::string>()).value();
    const auto whole = decode_stream(format, bytes, bytes.size());
    // Only line ends may be missing.
    const auto last_needed = bytes.find_last_not_of("\r\n") + 1;
    for (size_t length = 0; length < bytes.size(); ++length) {
      CAPTURE(length);
      const auto r = decode_stream(format, std::string_view{bytes}.substr(0, length), 5);
      CHECK(r.complete == (length >= last_needed));
      CHECK(whole.text.compare(0, r.text.size(), r.text) == 0);
      if (length < last_needed)
        CHECK(r.error.origin == error_origin::cut);
    }
  }
}

TEST_CASE("hostile streams have their class and action") {
  const auto table = read_table("hostile_streams.json");
  std::set<std::string> names;
  for (const auto& row : table) {
    const auto name = row["name"].get<std::string>();
    CAPTURE(name);
    CHECK(names.insert(name).second);
    const auto bytes = row["stream"].get<std::string>();
    const auto& want = row["expect"];
    const auto format = kevolve::llm::parse_wire_format(row["wire"].get<std::string>()).value();
    for (size_t piece : {size_t{1}, size_t{3}, std::max<size_t>(1, bytes.size())}) {
      const auto r = decode_stream(format, bytes, piece);
      CHECK((r.complete ? std::string{"complete"} : to_string(r.error.origin)) == want["end"].get<std::string>());
      if (want.contains("text"))
        CHECK(r.text == want["text"].get<std::string>());
      const auto remedied = r.complete ? remedy_for_finish(r) : remedy_for_reply(r.error, instant{});
      CHECK(remedied.has_value() == want.contains("class"));
      if (!remedied || !want.contains("class"))
        continue;
      CHECK(to_string(remedied->what) == want["class"].get<std::string>());
      CHECK(to_string(remedied->action) == want["action"].get<std::string>());
      if (want.contains("delay_ms"))
        CHECK(remedied->delay.value_or(milliseconds{-1}).count() == want["delay_ms"].get<int64_t>());
    }
  }
}

TEST_CASE("keep-alives, pings and empty pieces are no content") {
  reply_stream chat{wire_format::openai_chat};
  const auto content = [](const std::vector<event>& events) {
    return std::any_of(events.begin(), events.end(), is_content);
  };
  CHECK_FALSE(content(chat.feed(": keep-alive\n\n")));
  CHECK_FALSE(content(
      chat.feed(R"(data: {"id":"i","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]})"
                "\n\n")));
  CHECK_FALSE(content(chat.feed("data: {\"choices\":[]}\n\n")));
  CHECK(chat.keep_alives() == 3);
  CHECK(content(chat.feed(R"(data: {"choices":[{"index":0,"delta":{"reasoning_content":"x"}}]})"
                          "\n\n")));
  CHECK(chat.keep_alives() == 3);
  reply_stream messages{wire_format::anthropic};
  CHECK_FALSE(content(messages.feed("event: ping\ndata: {\"type\":\"ping\"}\n\n")));
  CHECK(messages.keep_alives() == 1);
}

TEST_CASE("a stream beyond our limits is given up") {
  stream_limits limits;
  limits.reply = 10;
  limits.calls = 2;
  limits.line = 200;
  const auto last = [&](const std::string& bytes) {
    reply_stream s{wire_format::openai_chat, limits};
    const auto events = s.feed(bytes);
    CHECK(s.over());
    CHECK(s.feed("data: [DONE]\n\n").empty());
    CHECK(s.end().empty());
    return events.empty() ? error_origin::none : events.back().error.origin;
  };
  CHECK(last(R"(data: {"choices":[{"index":0,"delta":{"content":"12345678901"}}]})"
             "\n\n")
        == error_origin::too_large);
  CHECK(last(R"(data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0},{"index":1},{"index":2}]}}]})"
             "\n\n")
        == error_origin::too_large);
  CHECK(last(R"(data: {"choices":[{"index":0,"token_ids":[1,2]}]})"
             "\n\n")
        == error_origin::too_large);
  CHECK(last("data: " + std::string(300, 'x')) == error_origin::too_large);
}

TEST_CASE("a call's index may be any number without using more memory") {
  const std::string bytes =
      R"(data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":4000000000,"id":"a","function":{"name":"lint","arguments":"{}"}}]},"finish_reason":"tool_calls"}]})"
      "\n\ndata: [DONE]\n\n";
  const auto r = decode_stream(wire_format::openai_chat, bytes, bytes.size());
  REQUIRE(r.calls.size() == 1);
  CHECK(r.calls[0].name == "lint");
}

TEST_CASE("whole replies decode like streamed ones") {
  const auto chat = decode_reply(
      wire_format::openai_chat,
      R"({"id":"c","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi","tool_calls":[{"id":"t","type":"function","function":{"name":"lint","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":4}})");
  CHECK(chat.complete);
  CHECK(chat.text == "hi");
  CHECK(chat.model == "m");
  CHECK(chat.finish == finish_reason::tool_calls);
  REQUIRE(chat.calls.size() == 1);
  CHECK(chat.calls[0].id == "t");
  CHECK(chat.usage.input == 3);
  const auto messages = decode_reply(
      wire_format::anthropic,
      R"({"id":"m1","type":"message","model":"c","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"t","name":"read_file","input":{"path":"x"}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":2}})");
  CHECK(messages.complete);
  CHECK(messages.text == "a");
  REQUIRE(messages.calls.size() == 1);
  CHECK(messages.calls[0].arguments == R"({"path":"x"})");
  CHECK(messages.usage.output == 2);
  const auto responses = decode_reply(
      wire_format::openai_responses,
      R"({"id":"r","model":"m","status":"completed","error":null,"output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"p"}]},{"type":"message","content":[{"type":"output_text","text":"b"}]},{"type":"function_call","call_id":"k","name":"lint","arguments":"{}"}],"usage":{"input_tokens":1,"output_tokens":2}})");
  CHECK(responses.complete);
  CHECK(responses.text == "b");
  CHECK(responses.reasoning == "p");
  CHECK(responses.finish == finish_reason::tool_calls);
  REQUIRE(responses.calls.size() == 1);
  CHECK(responses.calls[0].id == "k");
}

TEST_CASE("a whole reply beyond our limits is rejected") {
  std::string calls;
  for (int i = 0; i < 100'000; ++i)
    calls += (i == 0 ? "" : ",") + std::string{R"({"id":"c)"} + std::to_string(i) + R"(","function":{"name":"lint"}})";
  const auto body =
      R"({"model":"m","choices":[{"message":{"tool_calls":[)" + calls + R"(]},"finish_reason":"tool_calls"}]})";
  const auto many = decode_reply(wire_format::openai_chat, body); // fast, since each id is looked up in a map
  CHECK_FALSE(many.complete);
  CHECK(many.error.origin == error_origin::too_large);
  CHECK(many.error.message == "the reply has more than 64 tool calls");
  stream_limits small;
  small.reply = 100;
  CHECK(decode_reply(wire_format::openai_chat, body, small).error.message == "the reply is larger than 100 bytes");
}

TEST_CASE("the largest of a reply's counts is used, and names have a bounded length") {
  reply r;
  event e;
  e.kind = event_kind::usage;
  e.usage.input = 1'000;
  e.usage.output = 500;
  apply(r, e);
  e.usage.input = e.usage.output = 0;
  apply(r, e);
  CHECK(r.usage.input == 1'000);
  CHECK(r.usage.output == 500);
  e.kind = event_kind::started;
  e.name = std::string(1'000'000, 'm');
  apply(r, e);
  CHECK(r.model.size() == 256);
}

TEST_CASE("invalid whole replies are errors") {
  struct row {
    wire_format format;
    const char* body;
    error_origin origin;
  };
  const row rows[] = {
      {wire_format::openai_chat, "", error_origin::malformed},
      {wire_format::openai_chat, "null", error_origin::malformed},
      {wire_format::openai_chat, "<html>", error_origin::malformed},
      {wire_format::openai_chat, "{}", error_origin::malformed},
      {wire_format::openai_chat, R"({"choices":[]})", error_origin::malformed},
      {wire_format::openai_chat, R"({"choices":[{"message":{"content":"x"}}]})", error_origin::cut},
      {wire_format::openai_chat, R"({"error":{"message":"m"}})", error_origin::provider},
      {wire_format::anthropic, R"({"content":7})", error_origin::malformed},
      {wire_format::anthropic, R"({"content":[{"type":"text","text":"x"}]})", error_origin::cut},
      {wire_format::anthropic, R"({"type":"error","error":{"type":"api_error"}})", error_origin::provider},
      {wire_format::openai_responses, R"({})", error_origin::malformed},
      {wire_format::openai_responses, R"({"status":"failed","error":{"code":"server_error"}})", error_origin::provider},
      {wire_format::openai_responses, R"({"status":"queued"})", error_origin::malformed},
  };
  for (const auto& x : rows) {
    CAPTURE(x.body);
    const auto r = decode_reply(x.format, x.body);
    CHECK_FALSE(r.complete);
    CHECK(to_string(r.error.origin) == to_string(x.origin));
  }
  CHECK_FALSE(decode_reply(wire_format::openai_chat, std::string(1'000'000, '[')).complete);
}
