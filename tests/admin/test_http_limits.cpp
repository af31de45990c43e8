// Tests that hostile and slow clients do not affect a healthy one.
#include "runtime/base/log.hpp"
#include "tests/admin/served_node.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

using namespace kevolve;
using test::open_connection;
using test::parse_answer;
using test::send_raw;
using test::served_node;
using test::shared_node;

namespace {

size_t open_descriptors() {
  auto all = std::filesystem::directory_iterator{"/proc/self/fd"};
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

// Returns the median of 40 answers in ms, so that one slow round does not matter.
double time_to_answer(served_node& n) {
  std::vector<double> all;
  for (int i = 0; i < 40; ++i) {
    auto from = std::chrono::steady_clock::now();
    CHECK(n.ask("GET", "/v1/campaigns").status == 200);
    all.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - from).count());
  }
  std::nth_element(all.begin(), all.begin() + 20, all.end());
  return all[20];
}

std::string metric(served_node& n, const std::string& name) {
  auto body = n.ask("GET", "/metrics").body;
  auto at = body.find("\n" + name + " ");
  REQUIRE_MESSAGE(at != std::string::npos, name);
  auto from = at + name.size() + 2;
  return body.substr(from, body.find('\n', from) - from);
}

struct logged {
  logged() {
    auto pattern = (std::filesystem::temp_directory_path() / "kevolve-log-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    log::configure({log::level::info, true, folder + "/log"});
  }
  ~logged() {
    log::configure({log::level::warn, false, ""});
    std::filesystem::remove_all(folder);
  }
  std::vector<std::string> lines() const {
    log::flush();
    std::ifstream in{folder + "/log"};
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);)
      out.push_back(line);
    return out;
  }
  std::string folder;
};

} // namespace

TEST_CASE("a thousand slow and silent connections neither exhaust descriptors nor slow a healthy client") {
  served_node n;
  auto before = time_to_answer(n);
  auto descriptors = open_descriptors();
  std::vector<std::unique_ptr<open_connection>> slow;
  for (int i = 0; i < 1'000; ++i)
    slow.push_back(std::make_unique<open_connection>(
        n.port, i % 2 == 0 ? "" : "GET /v1/campaigns HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "));
  auto during = time_to_answer(n);
  MESSAGE("median answer: " << before << " ms alone, " << during << " ms beside 1,000 slow connections");
  CHECK(during < before * 3 + 5);
  // These are our own ends of the thousand connections, and at most the limit of the node's.
  CHECK(open_descriptors() < descriptors + 1'000 + 300);
  CHECK(std::stoul(metric(n, "kevolve_http_connections_open")) <= 256);
  CHECK(std::stoul(metric(n, "kevolve_http_connections_dropped_total{reason=\"crowded_out\"}")) >= 700);
}

TEST_CASE("a dropped connection is counted once") {
  served_node n{[](node_options& o) {
    o.http.connections = 16;
    o.http.reserved = 4;
    o.http.per_peer = 4;
  }};
  const auto* counted = "kevolve_http_connections_dropped_total{reason=\"crowded_out\"}";
  std::vector<std::unique_ptr<open_connection>> slow;
  for (int i = 0; i < 14; ++i)
    slow.push_back(std::make_unique<open_connection>(n.port, "GET /healthz HTTP/1.1\r\nX: "));
  // Nine of the first ten have ended when the tenth's place is requested, so the counter is stable.
  for (int i = 0; i < 9; ++i)
    CHECK(slow[static_cast<size_t>(i)]->read_until("").empty());
  const auto out = std::stoul(metric(n, counted));
  CHECK(out >= 10); // 14 came, and 4 have a place
  const auto silent = std::stoul(metric(n, "kevolve_http_connections_dropped_total{reason=\"silent\"}"));
  CHECK(silent == 0);
  CHECK(out <= 14 + 2); // includes the requests for the figures
}

TEST_CASE("an endless header and a missing body time out") {
  served_node n{[](node_options& o) {
    o.http.header = std::chrono::milliseconds{200};
    o.http.body = std::chrono::milliseconds{200};
  }};
  for (const auto& text : {std::string{}, std::string{"GET /healthz HTTP/1.1\r\nHo"},
                           "POST /v1/campaigns/abcd/pause HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(n.port)
                               + "\r\nAuthorization: Bearer " + n.token + "\r\nContent-Length: 100\r\n\r\n{"}) {
    auto from = std::chrono::steady_clock::now();
    CHECK(send_raw(n.port, text).empty());
    CHECK(std::chrono::steady_clock::now() - from < std::chrono::seconds{5});
  }
}

TEST_CASE("authorised clients may be silent for longer") {
  served_node n{[](node_options& o) { o.http.header = std::chrono::milliseconds{100}; }};
  auto one = "GET /v1/campaigns HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(n.port) + "\r\nAuthorization: Bearer "
             + n.token + "\r\n\r\n";
  open_connection known{n.port, one};
  CHECK(known.read_until("\"next\"").starts_with("HTTP/1.1 200"));
  auto stranger = send_raw(n.port, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(n.port) + "\r\n\r\n");
  CHECK(stranger.starts_with("HTTP/1.1 200")); // the connection has ended since
  known.send(one);
  CHECK(known.read_until("\"next\"").starts_with("HTTP/1.1 200"));
}

TEST_CASE("a request with a duplicate of a critical header is refused") {
  auto& n = shared_node();
  auto head = "GET /v1/campaigns HTTP/1.1\r\nConnection: close\r\nHost: 127.0.0.1:" + std::to_string(n.port)
              + "\r\nAuthorization: Bearer " + n.token + "\r\n";
  CHECK(parse_answer(send_raw(n.port, head + "\r\n")).status == 200);
  CHECK(parse_answer(send_raw(n.port, head + "Authorization: Bearer x\r\n\r\n")).status == 400);
  CHECK(parse_answer(send_raw(n.port, head + "Origin: http://a\r\nOrigin: http://b\r\n\r\n")).status == 400);
  const std::string site = "Sec-Fetch-Site: none\r\n";
  CHECK(parse_answer(send_raw(n.port, head + site + "\r\n")).status == 200);
  CHECK(parse_answer(send_raw(n.port, head + site + "Sec-Fetch-Site: cross-site\r\n\r\n")).status == 400);
}

TEST_CASE("chunk extensions and trailers are bounded") {
  served_node n{[](node_options& o) { o.http.body = std::chrono::milliseconds{500}; }};
  const auto host = " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(n.port) + "\r\nTransfer-Encoding: chunked\r\n";
  const std::string much(size_t{1} << 20U, 'a');
  std::string lines;
  while (lines.size() < much.size())
    lines += "X: y\r\n";
  for (const auto& body :
       {"1;x=" + much, "1;x=\"" + much, "1\r\na\r\n1;x=" + much, "0\r\nX: " + much, "0\r\n" + lines}) {
    CAPTURE(body.substr(0, 12));
    // The body of an unauthorised client is not read.
    CHECK(parse_answer(send_raw(n.port, "GET /healthz" + host + "\r\n" + body)).status == 400);
    const auto known = "POST /v1/relay/next" + host + "Authorization: Bearer " + n.token + "\r\n\r\n";
    CHECK(parse_answer(send_raw(n.port, known + body)).status == 431);
  }
}

TEST_CASE("the total of chunk extensions of a body is bounded") {
  served_node n;
  const auto head = "POST /v1/relay/next HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(n.port)
                    + "\r\nTransfer-Encoding: chunked\r\nAuthorization: Bearer " + n.token + "\r\n\r\n";
  std::string body;
  for (int i = 0; i < 5; ++i)
    body += "1;" + std::string(4'000, 'e') + "\r\n \r\n";
  CHECK(parse_answer(send_raw(n.port, head + body)).status == 431);
}

TEST_CASE("every refused request is logged once, without secrets") {
  auto& n = shared_node();
  logged log;
  CHECK(n.ask("GET", "/v1/campaigns", {{"Authorization", "Bearer stolen-secret"}}).status == 401);
  CHECK(n.ask("GET", "/v1/campaigns", {{"Host", "evil.example"}}).status == 403);
  auto leaked = n.ask("GET", "/v1/campaigns?token=" + n.token);
  CHECK(leaked.status == 400);
  CHECK(leaked.body.find("token-in-url") != std::string::npos);
  CHECK(leaked.body.find(n.token) == std::string::npos);
  CHECK(n.ask("GET", "/v1/" + n.token).status == 400);
  CHECK(n.ask("GET", "/v1/nowhere").status == 404);
  auto lines = log.lines();
  CHECK(lines.size() == 5);
  for (const auto* name : {"401 unauthorised", "403 host-not-allowed", "400 token-in-url", "404 no-such-path"}) {
    auto n_found = std::count_if(lines.begin(), lines.end(),
                                 [&](const std::string& line) { return line.find(name) != std::string::npos; });
    CHECK_MESSAGE(n_found == (std::string{name} == "400 token-in-url" ? 2 : 1), name);
  }
  for (const auto& line : lines) {
    auto document = json::parse(line);
    CHECK(document["request"].get<std::string>().find('-') != std::string::npos);
    CHECK(line.find(n.token) == std::string::npos);
    CHECK(line.find("stolen-secret") == std::string::npos);
  }
}
