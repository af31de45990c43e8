#include "tests/admin/served_node.hpp"

#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/admin/admin_server.hpp"
#include "tools/kevolve/node_reader.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
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

std::string stream_request(test::served_node& n, const std::string& target, const std::string& headers = {}) {
  return "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(n.port) + "\r\nAuthorization: Bearer "
         + n.token + "\r\nAccept: text/event-stream\r\n" + headers + "\r\n";
}

// Reads the remaining stream for a limited time. A stream that stays open sends keep-alives.
std::string until_end(test::open_connection& c) {
  std::string out;
  for (int i = 0; i < 50; ++i) {
    auto more = c.read_until("\n\n");
    out += more;
    if (more.empty())
      return out;
  }
  FAIL_CHECK("the stream does not end");
  return out;
}

} // namespace

TEST_CASE("every path except health requires the token") {
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

TEST_CASE("a wrong token is distinguished from none and not repeated") {
  auto& n = shared_node();
  auto why = [&](const char* header) { return n.ask("GET", "/v1/campaigns", {{"Authorization", header}}).body; };
  for (const auto* none : {"", "Basic abc", "Bearer "})
    CHECK_MESSAGE(why(none).find("a bearer token is required") != std::string::npos, none);
  CHECK(why("bearer another-nodes").find("this token is not the node's") != std::string::npos);
  CHECK(why("bearer another-nodes").find("another-nodes") == std::string::npos);
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

TEST_CASE("unknown paths and wrong methods are distinguished") {
  auto& n = shared_node();
  auto nowhere = n.ask("GET", "/v1/nowhere");
  CHECK(nowhere.status == 404);
  CHECK(type_of(nowhere) == "no-such-path");
  auto wrong = n.ask("DELETE", "/v1/campaigns");
  CHECK(wrong.status == 405);
  CHECK(wrong.headers["allow"] == "GET, POST");
}

TEST_CASE("oversized and invalid requests are refused, and the node continues") {
  auto& n = shared_node();
  auto head = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(n.port) + "\r\n";
  CHECK(parse_answer(send_raw(n.port, head + "X: " + std::string(20'000, 'x') + "\r\n\r\n")).status == 431);
  CHECK(parse_answer(send_raw(n.port, "POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n")).status
        == 413);
  const auto submitted = [&](const std::string& length) {
    return parse_answer(
               send_raw(n.port, "POST /v1/campaigns HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + "\r\n\r\n"))
        .status;
  };
  CHECK(submitted("2000000") != 413); // it may hold a module's weights
  CHECK(submitted("20000000") == 413);
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

TEST_CASE("a body with another transfer coding than chunked is refused and ends its connection") {
  auto& n = shared_node();
  const auto head = "POST /v1/campaigns HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(n.port)
                    + "\r\nAuthorization: Bearer " + n.token + "\r\nTransfer-Encoding: ";
  const auto body = "\r\n\r\nGET /healthz HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(n.port) + "\r\n\r\n";
  for (const auto* coding : {"identity", "gzip", "xchunked", "chunked, identity", ""}) {
    CAPTURE(std::string{coding});
    const auto text = send_raw(n.port, head + coding + body);
    CHECK(parse_answer(text).status == 501);
    CHECK(text.find("HTTP/1.1", 8) == std::string::npos);
  }
  auto older = head + "chunked\r\nConnection: keep-alive\r\n\r\n0\r\n\r\n";
  older.replace(older.find("HTTP/1.1"), 8, "HTTP/1.0");
  CHECK(parse_answer(send_raw(n.port, older)).status == 501);
}

TEST_CASE("a request with a trailer is refused") {
  auto& n = shared_node();
  const auto start = "POST /v1/campaigns/" + to_string(n.campaign)
                     + "/pause HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(n.port) + "\r\nAuthorization: Bearer "
                     + n.token + "\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n";
  const std::string typed = "Content-Type: application/json\r\n";
  const std::string body = "\r\n2;a=b\r\n{}\r\n0\r\n";
  CHECK(parse_answer(send_raw(n.port, start + typed + body + "\r\n")).status == 409); // the campaign has ended
  auto late = parse_answer(send_raw(n.port, start + body + typed + "\r\n"));
  CHECK(late.status == 400);
  CHECK(type_of(late) == "malformed-request");
  const auto key = "Idempotency-Key: " + std::string(400, 'k') + "\r\n";
  CHECK(parse_answer(send_raw(n.port, start + typed + body + key + "\r\n")).status == 400);
}

TEST_CASE("a GET request with a body is refused, cached or not") {
  auto& n = shared_node();
  for (const auto* path : {"/v1/actors/summary", "/v1/campaigns", "/healthz"}) {
    CAPTURE(std::string{path});
    CHECK(n.ask("GET", path).status == 200);
    CHECK(n.ask("GET", path, {}, "{}").status == 400);
  }
}

TEST_CASE("HEAD is answered without a body, and Expect with 100-continue") {
  auto& n = shared_node();
  const auto host = "Host: 127.0.0.1:" + std::to_string(n.port) + "\r\nAuthorization: Bearer " + n.token + "\r\n";
  const auto text = send_raw(n.port, "HEAD /v1/campaigns HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n");
  CHECK(parse_answer(text).status == 200);
  CHECK(parse_answer(text).body.empty());
  const auto whole = n.ask("GET", "/healthz").body;
  CHECK(n.ask("HEAD", "/healthz").headers["content-length"] == std::to_string(whole.size()));
  CHECK(n.ask("HEAD", "/v1/relay/next").status == 405);
  const auto both = send_raw(n.port, "HEAD /healthz HTTP/1.1\r\n" + host + "\r\nGET /healthz HTTP/1.1\r\n" + host
                                         + "Connection: close\r\n\r\n");
  CHECK(both.find("\r\n\r\nHTTP/1.1 200") != std::string::npos);
  test::open_connection waits{n.port, "POST /v1/relay/next HTTP/1.1\r\n" + host
                                          + "Content-Type: application/json\r\nExpect: 100-continue\r\n"
                                            "Content-Length: 2\r\nConnection: close\r\n\r\n"};
  CHECK(waits.read_until("\r\n\r\n").starts_with("HTTP/1.1 100 "));
  waits.send("{}");
  CHECK(waits.read_until("").find("HTTP/1.1 ") != std::string::npos);
}

TEST_CASE("events of an unknown campaign are 404") {
  auto& n = shared_node();
  CHECK(n.ask("GET", "/v1/events?campaign=" + std::string(32, 'f')).status == 404);
  CHECK(n.ask("POST", "/v1/relay/next", {{"Content-Type", "application/jsonx"}}, "{}").status == 415);
}

TEST_CASE("a node writes its address to a file for its user alone") {
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

TEST_CASE("a stream delivers past events, then new ones") {
  auto& n = shared_node();
  auto request = [&](const std::string& target, const std::string& headers) {
    return "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(n.port) + "\r\nAuthorization: Bearer "
           + n.token + "\r\nAccept: text/event-stream\r\n" + headers + "\r\n";
  };
  auto past = send_raw(n.port, request("/v1/events?campaign=" + to_string(n.campaign), ""), "event: node_finished");
  CHECK(past.find("Content-Type: text/event-stream") != std::string::npos);
  CHECK(past.find("id: 1\nevent: campaign_submitted\ndata: {") != std::string::npos);

  // Resumes after the last event, so only the new event arrives.
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

TEST_CASE("a stream accepts other spellings of its position") {
  test::served_node n{[](node_options& o) { o.http.alive = std::chrono::milliseconds{100}; }};
  test::open_connection c{n.port, stream_request(n, "/v1/events?%61fter=0&l%69mit=5")};
  CHECK(c.read_until("event: node_finished").starts_with("HTTP/1.1 200"));
  n.append_event("spelt");
  std::string told;
  for (int i = 0; i < 50 && told.find("spelt") == std::string::npos; ++i) // keep-alives drive the loop
    told += c.read_until("\n\n");
  CHECK(told.find("spelt") != std::string::npos);
}

TEST_CASE("a position beyond the log is refused at once") {
  auto& n = shared_node();
  const auto last = n.append_event("the last");
  const auto position = [](uint64_t id) { return "Last-Event-ID: " + std::to_string(id) + "\r\n"; };
  const std::string close = "Connection: close\r\n"; // the refusal ends with the connection
  for (const auto& request : {stream_request(n, "/v1/events", position(last + 1) + close),
                              stream_request(n, "/v1/events?after=" + std::to_string(last + 1'000), close)}) {
    const auto said = parse_answer(test::open_connection{n.port, request}.read_until("\n\n"));
    CHECK(said.status == 409);
    CHECK(type_of(said) == "beyond-the-end");
  }
  CHECK(n.ask("GET", "/v1/events?after=" + std::to_string(last + 1)).status == 409);
  CHECK(n.ask("GET", "/v1/events?after=" + std::to_string(last)).status == 200);
  test::open_connection at_the_end{n.port, stream_request(n, "/v1/events", position(last))};
  CHECK(at_the_end.read_until("\r\n\r\n").starts_with("HTTP/1.1 200"));
}

TEST_CASE("a stream ends with the reason once its campaign is gone") {
  test::served_node n{[](node_options& o) { o.http.alive = std::chrono::milliseconds{100}; }};
  const auto set_status = [&n](const id128& id, std::string bytes) {
    append_request a;
    a.campaign = id;
    a.events.push_back({event_kind::campaign_state, encode(state_record{run_state::paused, ""})});
    a.values.push_back({keys::index, keys::status(id), std::move(bytes)});
    node_reader reader{*n.running};
    REQUIRE(reader.ask<uint64_t>(n.running->journal(), atom::append_v, std::move(a)));
  };
  const auto whole = to_string(n.campaign);
  test::open_connection by_digits{n.port, stream_request(n, "/v1/events?campaign=" + whole.substr(0, 8))};
  test::open_connection by_id{n.port, stream_request(n, "/v1/events?campaign=" + whole)};
  CHECK(by_digits.read_until(": alive").find("event: node_finished") != std::string::npos);
  CHECK(by_id.read_until(": alive").find("event: node_finished") != std::string::npos);

  campaign_status other;
  other.id = {n.campaign.hi, n.campaign.lo ^ 1U};
  set_status(other.id, encode(other));
  const auto ambiguous = until_end(by_digits);
  CHECK(ambiguous.find("event: error\ndata: {") != std::string::npos);
  CHECK(ambiguous.find("urn:kevolve:problem:conflict") != std::string::npos);

  set_status(n.campaign, ""); // the campaign is unknown now
  CHECK(until_end(by_id).find("urn:kevolve:problem:not-found") != std::string::npos);
}

TEST_CASE("silent connections do not exclude other clients") {
  auto& n = shared_node();
  std::vector<std::unique_ptr<test::open_connection>> idle;
  for (int i = 0; i < 200; ++i)
    idle.push_back(std::make_unique<test::open_connection>(n.port, "GET /healthz HTTP/1.1\r\nHo"));
  CHECK(n.ask("GET", "/healthz").status == 200);
  CHECK(n.ask("GET", "/v1/campaigns").status == 200);
}

TEST_CASE("the number of streams is bounded, and a reader that leaves frees its place") {
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
  // The node notices the closed connections soon; until then it answers 503.
  auto admitted = false;
  for (int i = 0; i < 1'000 && !admitted; ++i) {
    test::open_connection again{n.port, request};
    admitted = again.read_until("\r\n\r\n").starts_with("HTTP/1.1 200");
  }
  CHECK(admitted);
}
