// The real queue on one end of a socket; the test is the node on the other.
#include "backends/judge/request_queue.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <utility>

namespace kevolve {

namespace {

id128 job(int number) {
  return derive_id("job", std::to_string(number));
}

struct connection {
  connection() {
    auto pair = make_channel_pair();
    REQUIRE(pair);
    node = std::move(pair->first);
    queue.emplace("judge", ::dup(pair->second.fd()));
  }

  void request(int number) {
    judge_request r;
    r.job = job(number);
    REQUIRE(node.send_message(frame_kind::judge_request, r));
  }
  void cancel(int number) {
    helper_cancel c;
    c.job = job(number);
    REQUIRE(node.send_message(frame_kind::cancel, c));
  }

  channel node;
  std::optional<request_queue> queue;
};

} // namespace

TEST_CASE("requests come in their order") {
  connection c;
  c.request(1);
  c.request(2);
  CHECK(c.queue->ready(std::chrono::hours{1}));
  CHECK(c.queue->next()->job == job(1));
  CHECK(!c.queue->cancelled());
  CHECK(c.queue->next()->job == job(2));
}

TEST_CASE("a waiting request can be cancelled, and its outcome says so") {
  connection c;
  c.request(1);
  c.request(2);
  REQUIRE(c.queue->next()->job == job(1));
  c.cancel(2);
  c.request(3);
  CHECK(!c.queue->cancelled()); // the current one goes on
  const auto frame = c.node.receive(std::chrono::hours{1});
  REQUIRE(frame);
  const auto outcome = decode<judge_outcome>(frame->payload);
  REQUIRE(outcome);
  CHECK(outcome->job == job(2));
  CHECK(outcome->trouble.kind == "cancelled");
  CHECK(c.queue->next()->job == job(3));
}

TEST_CASE("the current request can be cancelled, and the next one is not") {
  connection c;
  c.request(1);
  REQUIRE(c.queue->next());
  c.cancel(1);
  CHECK(c.queue->cancelled());
  c.queue->finish(judge_outcome{});
  c.cancel(1); // too late
  c.request(2);
  REQUIRE(c.queue->next()->job == job(2));
  CHECK(!c.queue->cancelled());
}

TEST_CASE("a node that has gone ends the queue and the current request") {
  connection c;
  c.request(1);
  REQUIRE(c.queue->next());
  c.node.close();
  CHECK(c.queue->cancelled());
  CHECK(!c.queue->connected());
  CHECK(!c.queue->next());
}

TEST_CASE("a frame that a judge does not know, and one that cannot be read, end the queue") {
  for (const auto kind : {frame_kind::compile_request, frame_kind::judge_request, frame_kind::cancel}) {
    connection c;
    REQUIRE(c.node.send(static_cast<uint8_t>(kind), "\x01"));
    CHECK(!c.queue->next());
    CHECK(!c.queue->connected());
  }
}

} // namespace kevolve
