#include "tests/llm_transport/calls.hpp"
#include "tests/support/hostile_provider.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace kevolve;
using namespace kevolve::test;

namespace {

std::string cut(const std::string& text, size_t length) {
  return text.substr(0, length);
}

told call_cut(hostile_provider& provider, uint16_t port, model_transport& transport, const std::string& bytes,
              llm::wire_format wire) {
  const auto path = provider.add({{{act::send, bytes, 0}, {act::close, {}, 0}}});
  return call(transport, attempt_at(plain_url(port, path), wire));
}

} // namespace

TEST_CASE("a recorded reply cut at any byte is never a success, and keeps what arrived") {
  const std::vector<std::pair<llm::wire_format, std::string>> recorded{
      {llm::wire_format::openai_chat, "chat_text"},
      {llm::wire_format::openai_responses, "responses_text"},
      {llm::wire_format::anthropic, "anthropic_text"}};
  for (const auto& [wire, name] : recorded) {
    CAPTURE(name);
    hostile_provider provider;
    const auto port = provider.listen();
    model_transport transport;
    const auto bytes = llm_data("streams/" + name + ".sse");
    const auto header = std::string{stream_header} + "\r\n";
    const auto whole = call_cut(provider, port, transport, header + bytes, wire);
    REQUIRE(whole.end.reply.complete);
    const auto last_needed = bytes.find_last_not_of("\r\n") + 1;
    for (size_t length = 0; length < bytes.size(); ++length) {
      CAPTURE(length);
      const auto x = call_cut(provider, port, transport, header + cut(bytes, length), wire);
      CHECK(x.end.reply.complete == (length >= last_needed));
      CHECK(whole.end.reply.text.compare(0, x.end.reply.text.size(), x.end.reply.text) == 0);
      if (length >= last_needed)
        continue;
      REQUIRE(x.end.remedy);
      CHECK(x.end.remedy->what == llm::failure_class::cut);
      CHECK(x.end.remedy->action == llm::failure_action::retry);
    }
  }
}

TEST_CASE("an answer cut at any byte of its header and its chunks has its class") {
  hostile_provider provider;
  const auto port = provider.listen();
  model_transport transport;
  const auto header = std::string{stream_header} + "transfer-encoding: chunked\r\n\r\n";
  const auto bytes = header + chunk(chat_piece("hel")) + chunk(chat_piece("lo")) + chunk(chat_stream({})) + "0\r\n\r\n";
  const auto last_needed = bytes.size() - std::string{"\n\n\r\n0\r\n\r\n"}.size();
  for (size_t length = 0; length < bytes.size(); ++length) {
    CAPTURE(length);
    const auto x = call_cut(provider, port, transport, cut(bytes, length), llm::wire_format::openai_chat);
    CHECK(x.end.reply.complete == (length >= last_needed));
    if (length >= last_needed)
      continue;
    REQUIRE(x.end.remedy);
    CHECK(x.end.remedy->action == llm::failure_action::retry);
    CHECK(x.end.remedy->what == (length < header.size() ? llm::failure_class::network : llm::failure_class::cut));
    CHECK((x.end.status == 0) == (length < header.size()));
    CHECK(std::string{"hello"}.rfind(x.end.reply.text, 0) == 0);
  }
}
