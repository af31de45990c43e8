#include "tests/llm_transport/calls.hpp"
#include "tests/llm_transport/certificates.hpp"
#include "tests/support/hostile_provider.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace kevolve;
using namespace kevolve::test;

namespace {

std::string good_answer(const std::string& text = "hello") {
  return whole_answer(200, "content-type: text/event-stream\r\n", chat_stream({text}));
}
const script answer_and_stay{{act::send, good_answer(), 0}, {act::next_request, {}, 0}};

} // namespace

TEST_CASE("a request carries the key, the body and its length, and asks for no encoding") {
  hostile_provider provider;
  const auto port = provider.listen();
  model_transport transport;
  auto a = attempt_at(plain_url(port, provider.add({answer_and_stay})) + "/v1?api-version=2");
  a.provider.extra_headers = {{"x-title", "kevolve"}};
  const auto x = call(transport, a);
  CHECK(x.end.outcome == attempt_outcome::answered);
  const auto asked = provider.requests().at(0);
  CHECK(asked.head.rfind("POST /0/v1/chat/completions?api-version=2 HTTP/1.1\r\n", 0) == 0);
  for (const auto& line :
       {"host: 127.0.0.1:" + std::to_string(port), std::string{"authorization: Bearer sk-test-0123456789abcdef"},
        std::string{"accept: text/event-stream"}, std::string{"x-title: kevolve"},
        std::string{"accept-encoding: identity"}, "content-length: " + std::to_string(a.body->size())}) {
    CAPTURE(line);
    CHECK(asked.head.find("\r\n" + line + "\r\n") != std::string::npos);
  }
  CHECK(asked.body == *a.body);
  CHECK(x.end.bytes_out == asked.head.size() + 2 + asked.body.size());
  CHECK(x.end.bytes_in == good_answer().size());
  REQUIRE(x.end.times.first_content);
  CHECK(*x.end.times.connected <= *x.end.times.first_byte);
  CHECK(*x.end.times.first_byte <= *x.end.times.first_content);
  CHECK(*x.end.times.first_content <= x.end.times.total);
}

TEST_CASE("a connection is reused by the next attempt, over TLS too") {
  temporary_folder folder;
  const authority ca{folder.path(), "ca"};
  const auto files = ca.issue("leaf", "IP:127.0.0.1", 3600);
  hostile_provider provider;
  listening secure;
  secure.certificate = files.certificate;
  secure.key = files.key;
  const auto path = provider.add({answer_and_stay});
  for (const auto& url :
       {plain_url(provider.listen(), path), "https://127.0.0.1:" + std::to_string(provider.listen(secure)) + path}) {
    CAPTURE(url);
    model_transport transport;
    auto a = attempt_at(url);
    a.network.ca_file = ca.certificate();
    const auto before = provider.connections();
    CHECK_FALSE(call(transport, a).end.reused);
    for (int i = 0; i < 3; ++i) {
      const auto x = call(transport, a);
      CHECK(x.end.reused);
      CHECK(x.end.reply.text == "hello");
    }
    CHECK(provider.connections() == before + 1);
    CHECK(transport.figures().idle_connections == 1);
  }
}

TEST_CASE("a terminal marker ends the attempt, and the connection is drained for the next one") {
  hostile_provider provider;
  const auto port = provider.listen();
  model_transport transport;
  const auto chunked = std::string{stream_header} + "transfer-encoding: chunked\r\n\r\n" + chunk(chat_stream({"x"}));
  // The last chunk comes only after the gate opens, when the first attempt has ended.
  const auto path = provider.add({{{act::send, chunked, 0},
                                   {act::wait_for_gate, {}, 0},
                                   {act::send, "0\r\n\r\n", 0},
                                   {act::next_request, {}, 0}}});
  CHECK(call(transport, attempt_at(plain_url(port, path))).end.reply.complete);
  provider.open_gate();
  REQUIRE(provider.wait_for_played(1) == 1);
  // A call on another connection ensures that this chunk has been read.
  CHECK(call(transport, attempt_at(plain_url(provider.listen(), provider.add({answer_and_stay})))).end.reply.complete);
  CHECK(call(transport, attempt_at(plain_url(port, path))).end.reused);
  CHECK(provider.connections() == 2);
}

TEST_CASE("a surplus answer is not taken for the next request's") {
  hostile_provider provider;
  const auto port = provider.listen();
  model_transport transport;
  const auto path = provider.add({{{act::send, good_answer() + good_answer("other"), 0}, {act::next_request, {}, 0}}});
  CHECK(call(transport, attempt_at(plain_url(port, path))).end.reply.text == "hello");
  CHECK(transport.figures().idle_connections == 0);
  const auto x = call(transport, attempt_at(plain_url(port, path)));
  CHECK(x.end.reply.text == "hello");
  CHECK_FALSE(x.end.reused);
}

TEST_CASE("a dead reused connection is replaced once") {
  hostile_provider provider;
  const auto port = provider.listen();
  const auto url = plain_url(port, provider.add({answer_and_stay, {{act::close, {}, 0}}, answer_and_stay}));
  model_transport transport;
  CHECK(call(transport, attempt_at(url)).end.outcome == attempt_outcome::answered);
  const auto x = call(transport, attempt_at(url));
  CHECK(x.end.outcome == attempt_outcome::answered);
  CHECK(x.end.reused);
  CHECK(x.end.resent);
  CHECK(provider.requests().size() == 3);

  // A second dead connection is a failure.
  const auto dying = plain_url(port, provider.add({answer_and_stay, {{act::reset, {}, 0}}}));
  CHECK(call(transport, attempt_at(dying)).end.outcome == attempt_outcome::answered);
  const auto y = call(transport, attempt_at(dying));
  REQUIRE(y.end.remedy);
  CHECK(y.end.remedy->what == llm::failure_class::network);
  CHECK(provider.requests().size() == 6);
}

TEST_CASE("an attempt that must be sent once opens a new connection and leaves idle ones alone") {
  hostile_provider provider;
  const auto url = plain_url(provider.listen(), provider.add({answer_and_stay, answer_and_stay}));
  model_transport transport;
  CHECK(call(transport, attempt_at(url)).end.outcome == attempt_outcome::answered);
  auto once = attempt_at(url);
  once.fresh = true;
  const auto x = call(transport, std::move(once));
  CHECK(x.end.outcome == attempt_outcome::answered);
  CHECK_FALSE(x.end.reused);
  CHECK(provider.connections() == 2);
}

TEST_CASE("a connection survives a refusal") {
  hostile_provider provider;
  const auto port = provider.listen();
  model_transport transport;
  const auto refused = plain_url(port, provider.add({{{act::send, whole_answer(429, "retry-after: 1\r\n", "{}"), 0},
                                                      {act::next_request, {}, 0}}}));
  CHECK(call(transport, attempt_at(refused)).end.status == 429);
  CHECK(call(transport, attempt_at(refused)).end.reused);
  CHECK(provider.connections() == 1);
}

TEST_CASE("an answer that has begun is never requested again") {
  hostile_provider provider;
  const auto port = provider.listen();
  const auto url =
      plain_url(port, provider.add({answer_and_stay, {{act::send, "HTTP/1.1 2", 0}, {act::close, {}, 0}}}));
  model_transport transport;
  call(transport, attempt_at(url));
  const auto x = call(transport, attempt_at(url));
  CHECK(x.end.reused);
  CHECK_FALSE(x.end.resent);
  CHECK(x.end.outcome == attempt_outcome::failed);
  CHECK(provider.requests().size() == 2);
}

TEST_CASE("idle connections are limited in number and time") {
  hostile_provider provider;
  transport_options few;
  few.pool.per_origin = 1;
  few.pool.total = 2;
  few.pool.idle = 50ms;
  model_transport transport{few};
  const auto path = provider.add({answer_and_stay});
  for (int i = 0; i < 4; ++i) {
    call(transport, attempt_at(plain_url(provider.listen(), path)));
    CHECK(transport.figures().idle_connections <= 2);
  }
  CHECK(provider.wait_for_gone(4) == 4);
  CHECK(transport.figures().in_flight == 0);
}

TEST_CASE("a provider is reached through a Unix socket") {
  temporary_folder folder;
  hostile_provider provider;
  listening how;
  how.unix_path = folder.path() + "/model.socket";
  provider.listen(how);
  model_transport transport;
  auto a = attempt_at("http://model.internal" + provider.add({answer_and_stay}));
  a.network.unix_socket = how.unix_path;
  CHECK(call(transport, a).end.reply.text == "hello");
  CHECK(call(transport, a).end.reused);
  CHECK(provider.requests().at(0).head.find("\r\nhost: model.internal\r\n") != std::string::npos);
  a.network.unix_socket += ".none";
  const auto x = call(transport, a);
  CHECK(x.end.trouble == llm::transport_trouble::unreachable);
  CHECK(x.end.remedy->words.find(a.network.unix_socket) != std::string::npos);
}

TEST_CASE("a proxy connects with the environment's credentials and sees neither key nor prompt") {
  temporary_folder folder;
  const authority ca{folder.path(), "ca"};
  const auto files = ca.issue("leaf", "DNS:provider.test", 3600);
  hostile_provider provider;
  listening secure;
  secure.certificate = files.certificate;
  secure.key = files.key;
  const auto there = std::to_string(provider.listen(secure));
  hostile_provider proxy;
  listening tunnel;
  tunnel.greets = greeting::tunnel;
  const auto proxy_port = std::to_string(proxy.listen(tunnel));
  model_transport transport;
  auto a = attempt_at("https://provider.test:" + there + provider.add({answer_and_stay}));
  a.network.ca_file = ca.certificate();
  a.network.proxy_environment = "KEVOLVE_TEST_PROXY";
  ::setenv("KEVOLVE_TEST_PROXY", ("http://user:pass%40word@127.0.0.1:" + proxy_port).c_str(), 1);
  const auto x = call(transport, a);
  CAPTURE(describe(x.end));
  CHECK(x.end.reply.text == "hello");
  const auto asked = proxy.requests().at(0);
  CHECK(asked.head.rfind("CONNECT provider.test:" + there + " HTTP/1.1\r\n", 0) == 0);
  CHECK(asked.head.find("\r\nProxy-Authorization: Basic dXNlcjpwYXNzQHdvcmQ=\r\n") != std::string::npos);
  CHECK(asked.head.find("sk-test") == std::string::npos);

  listening refusing = tunnel;
  refusing.proxy_answer = "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n";
  ::setenv("KEVOLVE_TEST_PROXY", ("http://127.0.0.1:" + std::to_string(proxy.listen(refusing))).c_str(), 1);
  model_transport another;
  const auto y = call(another, a);
  REQUIRE(y.end.remedy);
  CHECK(y.end.remedy->what == llm::failure_class::network);
  CHECK(y.end.remedy->words.find("407") != std::string::npos);
  ::unsetenv("KEVOLVE_TEST_PROXY");
}

TEST_CASE("cancelling closes the connection at once and keeps what arrived") {
  hostile_provider provider;
  const auto port = provider.listen();
  const auto path =
      provider.add({{{act::send, std::string{stream_header} + "\r\n" + chat_piece("half"), 0}, {act::stay, {}, 0}}});
  model_transport transport;
  std::promise<attempt_end> ended;
  std::promise<attempt_handle> begun;
  auto handle = begun.get_future().share();
  const auto started = transport.start(
      attempt_at(plain_url(port, path)), [&](const std::vector<llm::event>&) { handle.get().cancel(); },
      [&](attempt_end e) { ended.set_value(std::move(e)); });
  REQUIRE(started);
  begun.set_value(*started);
  const auto end = ended.get_future().get();
  CHECK(end.outcome == attempt_outcome::cancelled);
  CHECK_FALSE(end.remedy);
  CHECK(end.reply.text == "half");
  CHECK(provider.wait_for_gone(1) == 1);
  started->cancel(); // cancelling an attempt that has ended has no effect
}

TEST_CASE("destroying the transport ends all attempts in flight") {
  hostile_provider provider;
  listening mute;
  mute.greets = greeting::mute;
  const auto port = provider.listen();
  const auto path = provider.add({{{act::stay, {}, 0}}});
  std::vector<attempt_outcome> ends;
  attempt_handle last;
  {
    model_transport transport;
    for (const auto& url : {plain_url(port, path), plain_url(provider.listen(mute), path),
                            std::string{"https://provider.invalid"}, plain_url(1, path)}) {
      auto started =
          transport.start(attempt_at(url), nullptr, [&](const attempt_end& e) { ends.push_back(e.outcome); });
      REQUIRE(started);
      last = *started;
    }
  }
  CHECK(ends.size() == 4);
  last.cancel();
  last.took();
}

TEST_CASE("without acknowledgements delivery stops, and memory stays bounded") {
  hostile_provider provider;
  const auto port = provider.listen();
  const auto path = provider.add(
      {{{act::send, std::string{stream_header} + "\r\n", 0}, {act::repeat, chat_piece(std::string(500, 'x')), 0}}});
  model_transport transport;
  auto a = attempt_at(plain_url(port, path));
  a.limits.content.between = 20ms; // our own slowness must not count as the provider's silence
  a.limits.content.total = 300ms;
  a.limits.unread_batches = 4;
  size_t batches = 0;
  std::promise<attempt_end> ended;
  REQUIRE(transport.start(
      a, [&](const std::vector<llm::event>&) { ++batches; }, [&](attempt_end e) { ended.set_value(std::move(e)); }));
  const auto end = ended.get_future().get();
  CHECK(end.trouble == llm::transport_trouble::timed_out);
  CHECK(batches == 5); // the last one contains the end
  // A batch is the result of one read of at most 8 KiB; the header may arrive separately.
  CHECK(end.bytes_in <= 5 * 8192);
  CHECK(transport.figures().most_buffer_bytes <= a.limits.header_bytes + 8192);
}

TEST_CASE("with acknowledgements everything is delivered, however small the limit") {
  hostile_provider provider;
  const auto port = provider.listen();
  std::vector<std::string> pieces(500, std::string(200, 'x'));
  const auto path =
      provider.add({{{act::send, whole_answer(200, "content-type: text/event-stream\r\n", chat_stream(pieces)), 0},
                     {act::next_request, {}, 0}}});
  model_transport transport;
  auto a = attempt_at(plain_url(port, path));
  a.limits.unread_batches = 1;
  const auto x = call(transport, a);
  CHECK(x.end.reply.complete);
  CHECK(x.end.reply.text.size() == 100'000);
}

TEST_CASE("the body is kept on request") {
  hostile_provider provider;
  const auto port = provider.listen();
  model_transport transport;
  auto a = attempt_at(plain_url(port, provider.add({answer_and_stay})));
  CHECK(call(transport, a).end.body.empty());
  a.keep_body = true;
  CHECK(call(transport, a).end.body == chat_stream({"hello"}));
}
