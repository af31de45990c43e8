#include "tests/admin/served_node.hpp"

#include "runtime/node/admin/admin_server.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <thread>
#include <vector>

using namespace kevolve;
using test::parse_answer;
using test::send_raw;
using test::shared_node;

namespace {

std::string type_of(const test::raw_answer& a) {
  return json::parse(a.body)["type"].get<std::string>().substr(std::string{"urn:kevolve:problem:"}.size());
}

} // namespace

TEST_CASE("every path but health wants the token") {
  auto& n = shared_node();
  for (const auto* path : {"/v1/campaigns", "/v1/openapi.json", "/metrics", "/v1/events", "/nowhere"})
    for (const auto* header : {"", "Bearer wrong", "Basic abc"}) {
      auto answer = n.ask("GET", path, {{"Authorization", header}});
      CHECK(answer.status == 401);
      CHECK(type_of(answer) == "unauthorised");
      CHECK(answer.headers["www-authenticate"] == "Bearer");
      CHECK(answer.headers["content-type"] == "application/problem+json");
    }
  CHECK(n.ask("GET", "/healthz", {{"Authorization", ""}}).status == 200);
  CHECK(n.ask("GET", "/readyz", {{"Authorization", ""}}).status == 503);
}

TEST_CASE("a foreign host or origin is refused even with the token") {
  auto& n = shared_node();
  CHECK(n.ask("GET", "/v1/campaigns", {{"Host", "evil.example"}}).status == 403);
  CHECK(n.ask("GET", "/healthz", {{"Host", "evil.example"}}).status == 403);
  CHECK(n.ask("GET", "/v1/campaigns", {{"Origin", "http://evil.example"}}).status == 403);
  CHECK(n.ask("GET", "/v1/campaigns", {{"Sec-Fetch-Site", "cross-site"}}).status == 403);
  CHECK(n.ask("GET", "/v1/campaigns", {{"Host", "localhost:" + std::to_string(n.port)}}).status == 200);
  CHECK(n.ask("GET", "/v1/campaigns", {{"Host", ""}}).status == 400);
}

TEST_CASE("unknown paths and wrong methods are told apart") {
  auto& n = shared_node();
  auto nowhere = n.ask("GET", "/v1/nowhere");
  CHECK(nowhere.status == 404);
  CHECK(type_of(nowhere) == "no-such-path");
  auto wrong = n.ask("DELETE", "/v1/campaigns");
  CHECK(wrong.status == 405);
  CHECK(wrong.headers["allow"] == "GET, POST");
}

TEST_CASE("what is too large or no HTTP is refused, and the node goes on") {
  auto& n = shared_node();
  auto head = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(n.port) + "\r\n";
  CHECK(parse_answer(send_raw(n.port, head + "X: " + std::string(20'000, 'x') + "\r\n\r\n")).status == 431);
  CHECK(parse_answer(send_raw(n.port, "POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n")).status
        == 413);
  CHECK(parse_answer(send_raw(n.port, "nonsense\r\n\r\n")).status == 400);
  CHECK(parse_answer(send_raw(n.port, head + "Host: 127.0.0.1:1\r\nConnection: close\r\n\r\n")).status == 400);
  CHECK(n.ask("GET", "/healthz").status == 200);
}

TEST_CASE("a connection serves one request after another") {
  auto& n = shared_node();
  auto one = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(n.port) + "\r\n";
  auto text = send_raw(n.port, one + "\r\n" + one + "Connection: close\r\n\r\n");
  auto first = text.find("HTTP/1.1 200");
  REQUIRE(first != std::string::npos);
  CHECK(text.find("HTTP/1.1 200", first + 1) != std::string::npos);
}

TEST_CASE("a body that is coded in another way than chunked ends its connection, and is no request") {
  auto& n = shared_node();
  const auto head = "POST /v1/campaigns HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(n.port)
                    + "\r\nAuthorization: Bearer " + n.token + "\r\nTransfer-Encoding: ";
  const auto body = "\r\n\r\nGET /healthz HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(n.port) + "\r\n\r\n";
  for (const auto* coding : {"identity", "gzip", "xchunked", "chunked, identity"}) {
    const auto text = send_raw(n.port, head + coding + body);
    CHECK(parse_answer(text).status == 501);
    CHECK(text.find("HTTP/1.1", 8) == std::string::npos);
  }
}

TEST_CASE("an answer to HEAD has no body, and who waits to be told to go on is told") {
  auto& n = shared_node();
  const auto host = "Host: 127.0.0.1:" + std::to_string(n.port) + "\r\nAuthorization: Bearer " + n.token + "\r\n";
  const auto text = send_raw(n.port, "HEAD /v1/campaigns HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n");
  CHECK(parse_answer(text).status == 405);
  CHECK(parse_answer(text).body.empty());
  test::open_connection waits{n.port, "POST /v1/relay/next HTTP/1.1\r\n" + host
                                          + "Content-Type: application/json\r\nExpect: 100-continue\r\n"
                                            "Content-Length: 2\r\nConnection: close\r\n\r\n"};
  CHECK(waits.read_until("\r\n\r\n").starts_with("HTTP/1.1 100 "));
  waits.send("{}");
  CHECK(waits.read_until("").find("HTTP/1.1 ") != std::string::npos);
}

TEST_CASE("events of a campaign that is not there are none") {
  auto& n = shared_node();
  CHECK(n.ask("GET", "/v1/events?campaign=" + std::string(32, 'f')).status == 404);
  CHECK(n.ask("POST", "/v1/relay/next", {{"Content-Type", "application/jsonx"}}, "{}").status == 415);
}

TEST_CASE("a node says where it is, for its user alone") {
  auto& n = shared_node();
  auto path = admin_file(n.running->data_dir());
  struct stat about{};
  REQUIRE(::stat(path.c_str(), &about) == 0);
  CHECK((about.st_mode & 0777U) == 0600);
  std::ifstream in{path};
  auto document = json::parse(in);
  CHECK(document["url"] == n.running->admin_url());
  CHECK(document["pid"] == ::getpid());
}

TEST_CASE("a stream brings what happened before and what happens next") {
  auto& n = shared_node();
  auto request = [&](const std::string& target, const std::string& headers) {
    return "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(n.port) + "\r\nAuthorization: Bearer "
           + n.token + "\r\nAccept: text/event-stream\r\n" + headers + "\r\n";
  };
  auto past = send_raw(n.port, request("/v1/events?campaign=" + to_string(n.campaign), ""), "event: node_finished");
  CHECK(past.find("Content-Type: text/event-stream") != std::string::npos);
  CHECK(past.find("id: 1\nevent: campaign_submitted\ndata: {") != std::string::npos);

  // Resumed behind everything there is: only the new event comes.
  auto last = n.append_event("before");
  std::thread later{[&] { n.append_event("live one"); }};
  auto live = send_raw(n.port, request("/v1/events", "Last-Event-ID: " + std::to_string(last) + "\r\n"), "live one");
  later.join();
  CHECK(live.find("live one") != std::string::npos);
  CHECK(live.find("\"before\"") == std::string::npos);
  CHECK(live.find("id: " + std::to_string(last + 1) + "\n") != std::string::npos);

  auto unknown = "/v1/events?campaign=" + std::string(31, '0');
  CHECK(parse_answer(send_raw(n.port, request(unknown, "Connection: close\r\n"))).status == 404);
  for (const auto& id : {std::string{"x"}, std::string{"-1"}, std::string{"1 2"}, "1&campaign=" + to_string(n.campaign),
                         std::string{"18446744073709551615"}, std::string{"18446744073709551616"}}) {
    auto bad = request("/v1/events", "Last-Event-ID: " + id + "\r\nConnection: close\r\n");
    auto said = parse_answer(send_raw(n.port, bad, "\r\n\r\n"));
    CHECK_MESSAGE(said.status == 400, id);
  }
  auto beyond = request("/v1/events?after=18446744073709551615", "Connection: close\r\n");
  CHECK(parse_answer(send_raw(n.port, beyond, "\r\n\r\n")).status == 400);
}

TEST_CASE("clients that hold connections and ask nothing do not shut others out") {
  auto& n = shared_node();
  std::vector<std::unique_ptr<test::open_connection>> idle;
  for (int i = 0; i < 200; ++i)
    idle.push_back(std::make_unique<test::open_connection>(n.port, "GET /healthz HTTP/1.1\r\nHo"));
  CHECK(n.ask("GET", "/healthz").status == 200);
  CHECK(n.ask("GET", "/v1/campaigns").status == 200);
}

TEST_CASE("streams are bounded, and a reader that leaves makes room") {
  auto& n = shared_node();
  auto request = "GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(n.port) + "\r\nAuthorization: Bearer "
                 + n.token + "\r\nAccept: text/event-stream\r\n\r\n";
  std::vector<std::unique_ptr<test::open_connection>> streams;
  for (int i = 0; i < 16; ++i) {
    streams.push_back(std::make_unique<test::open_connection>(n.port, request));
    CHECK(streams.back()->read_until("\r\n\r\n").starts_with("HTTP/1.1 200"));
  }
  test::open_connection one_more{n.port, request};
  CHECK(one_more.read_until("\r\n\r\n").starts_with("HTTP/1.1 503"));
  streams.clear();
  // The node learns of it as soon as its thread looks; until then it says 503.
  auto admitted = false;
  for (int i = 0; i < 1'000 && !admitted; ++i) {
    test::open_connection again{n.port, request};
    admitted = again.read_until("\r\n\r\n").starts_with("HTTP/1.1 200");
  }
  CHECK(admitted);
}
