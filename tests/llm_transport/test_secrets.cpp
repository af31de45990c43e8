// Tests that a canary key never leaves the transport, whatever a server does with it.
#include "backends/llm/protocol/plain_text.hpp"
#include "runtime/base/log.hpp"
#include "tests/llm_transport/calls.hpp"
#include "tests/support/hostile_provider.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <type_traits>

using namespace kevolve;
using namespace kevolve::test;

namespace {

const std::string canary = "sk-canary-7f3a9c51d2e84b60";
const std::string canary_base64 = "c2stY2FuYXJ5LTdmM2E5YzUxZDJlODRiNjA=";

template <class T>
concept printable = requires(std::ostream& out, const T& x) { out << x; };
static_assert(!printable<api_key>);
static_assert(!fmt::is_formattable<api_key>::value);
static_assert(!std::is_convertible_v<api_key, std::string> && !std::is_convertible_v<api_key, std::string_view>);

void write_event(std::string& out, const llm::event& e) {
  for (const auto& x : {e.text, e.id, e.name, e.usage.service_tier, e.error.type, e.error.code, e.error.message})
    out += x + "\n";
}

// Returns all reports as text. Pieces of one kind are joined without a gap, since they must not combine to the key.
std::string all_of(const told& x) {
  std::string out = describe(x.end) + "\n" + x.end.body + "\n";
  std::string together;
  for (const auto& e : x.events) {
    write_event(out, e);
    together += e.text;
  }
  out += together + "\n";
  for (const auto& [name, value] : x.end.headers)
    out += name + ": " + value + "\n";
  const auto& r = x.end.reply;
  for (const auto& text : {r.id, r.model, r.text, r.reasoning, r.refusal, r.error.type, r.error.code, r.error.message})
    out += text + "\n";
  for (const auto& c : r.calls)
    out += c.id + c.name + c.arguments + "\n";
  return out + (x.end.remedy ? x.end.remedy->words : "");
}

std::string stream_of(const std::string& body) {
  return whole_answer(200, "content-type: text/event-stream\r\n", body);
}

// Splits the text into pieces of `n` characters.
std::vector<std::string> pieces(const std::string& text, size_t n) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size(); at += n)
    out.push_back(text.substr(at, n));
  return out;
}

} // namespace

TEST_CASE("a key that the server repeats is in no event, result, log or description") {
  temporary_folder folder;
  const auto log_path = folder.path() + "/log";
  log::configure({.threshold = log::level::trace, .json = true, .file = log_path});
  hostile_provider provider;
  const auto port = provider.listen();
  model_transport transport;
  const auto error =
      R"({"error":{"message":"Incorrect API key provided: )" + canary + R"(","code":"invalid_api_key"}})";
  const auto call_piece = [](const std::string& arguments) {
    auto out = json::parse(
        R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"lint"}}]}}]})");
    out["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"] = arguments;
    return "data: " + out.dump() + "\n\n";
  };
  std::vector<std::string> answers{
      whole_answer(401, "", error),
      whole_answer(401, "", "no such key: " + canary),
      whole_answer(500, "x-echo: " + canary + "\r\n", ""),
      whole_answer(302, "location: https://elsewhere/?key=" + canary + "\r\n", ""),
      whole_answer(200, "content-type: application/json\r\n", error),
      whole_answer(200, "content-type: text/html\r\n", "<html>" + canary),
      stream_of("data: " + error + "\n\n"),
      stream_of("data: {" + canary + "\n\n"),
      stream_of(chat_stream({"the key is " + canary + ", or " + canary_base64})),
      stream_of(call_piece(canary.substr(0, 9)) + call_piece(canary.substr(9)) + chat_stream({})),
      "HTTP/1.1 200 " + canary + "\r\n" + canary + "\r\n\r\n"};
  for (size_t n : {size_t{1}, size_t{2}, size_t{3}, size_t{7}, canary.size() - 1})
    answers.push_back(stream_of(chat_stream(pieces("the key is " + canary + ".", n))));
  for (const auto& answer : answers) {
    CAPTURE(answer);
    auto a = attempt_at(plain_url(port, provider.add({{{act::send, answer, 0}, {act::close, {}, 0}}})));
    a.key = api_key{canary};
    a.keep_body = true;
    const auto x = call(transport, a);
    const auto everything = all_of(x) + describe(a);
    CHECK(everything.find(canary) == std::string::npos);
    CHECK(everything.find(canary_base64) == std::string::npos);
    CHECK(provider.requests().back().head.find(canary) != std::string::npos); // the key was sent
  }
  log::flush();
  std::ifstream in{log_path};
  const std::string logged{std::istreambuf_iterator<char>{in}, {}};
  log::configure({.threshold = log::level::warn, .json = false, .file = {}});
  CHECK(logged.find("failed after") != std::string::npos);
  CHECK(logged.find(canary) == std::string::npos);
}

TEST_CASE("a key with invisible characters in between does not reappear when these are dropped") {
  hostile_provider provider;
  model_transport transport;
  const auto port = provider.listen();
  std::string spread;
  for (const char c : canary)
    spread += std::string{c} + "\u200b";
  auto a = attempt_at(plain_url(
      port,
      provider.add({{{act::send, stream_of(chat_stream({"the key is " + spread + "."})), 0}, {act::close, {}, 0}}})));
  a.key = api_key{canary};
  const auto x = call(transport, a);
  CHECK(x.end.reply.text.find("the key is ") == 0);
  CHECK(llm::plain_text(x.end.reply.text).find(canary) == std::string::npos);
}

TEST_CASE("text that only begins like a key is reported completely") {
  hostile_provider provider;
  const auto port = provider.listen();
  model_transport transport;
  for (const auto& text : {canary.substr(0, 12), "sk-" + canary.substr(0, 20) + "?", std::string{"task-s"}}) {
    auto a = attempt_at(plain_url(
        port, provider.add({{{act::send, stream_of(chat_stream(pieces(text, 2))), 0}, {act::next_request, {}, 0}}})));
    a.key = api_key{canary};
    const auto x = call(transport, a);
    std::string together;
    for (const auto& e : x.events)
      together += e.text;
    CHECK(together == text);
    CHECK(x.end.reply.text == text);
  }
}

TEST_CASE("a refused attempt reveals no secret") {
  model_transport transport;
  auto a = attempt_at("http://example.com");
  a.key = api_key{canary};
  a.network.proxy_environment = "KEVOLVE_TEST_PROXY_3";
  ::setenv("KEVOLVE_TEST_PROXY_3", ("http://u:" + canary + "@pro xy").c_str(), 1);
  const auto never = [](const attempt_end&) { FAIL("it ended without having begun"); };
  auto refused = transport.start(a, nullptr, never);
  REQUIRE_FALSE(refused);
  CHECK(to_string(refused.error()).find(canary) == std::string::npos);
  ::unsetenv("KEVOLVE_TEST_PROXY_3");
  a = attempt_at("http://127.0.0.1");
  a.key = api_key{canary + "\r\nx: y"};
  refused = transport.start(a, nullptr, never);
  REQUIRE_FALSE(refused);
  CHECK(to_string(refused.error()).find(canary) == std::string::npos);
  a.key = {};
  CHECK_FALSE(transport.start(a, nullptr, never));
  a.provider.needs_key = false;
  a.body = nullptr;
  CHECK_FALSE(transport.start(a, nullptr, never));
}

TEST_CASE("keys come from the environment or a private file") {
  ::setenv("KEVOLVE_TEST_KEY", canary.c_str(), 1);
  CHECK(key_from_environment("KEVOLVE_TEST_KEY").value().reveal() == canary);
  ::unsetenv("KEVOLVE_TEST_KEY");
  CHECK(key_from_environment("KEVOLVE_TEST_KEY").error().detail.find("KEVOLVE_TEST_KEY") != std::string::npos);
  temporary_folder folder;
  const auto path = folder.path() + "/key";
  CHECK_FALSE(key_from_file(path));
  CHECK(key_from_file("/nowhere/key").error().detail.find("/nowhere/key") != std::string::npos);
  CHECK(key_from_file("/nowhere/" + std::string{canary}).error().detail.find(canary) == std::string::npos);
  std::ofstream{path} << canary << "\n";
  REQUIRE(::chmod(path.c_str(), 0644) == 0);
  CHECK(key_from_file(path).error().code == errc::unauthorised);
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  CHECK(key_from_file(path).value().reveal() == canary);
}
