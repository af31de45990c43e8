#include "runtime/node/admin/idempotency.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

api_request request(const std::string& key, const std::string& body = "{}") {
  api_request r;
  r.method = "POST";
  r.target = "/v1/campaigns/abcd/pause";
  r.body = body;
  r.idempotency_key = key;
  return r;
}

api_response answer(unsigned status, const std::string& body) {
  api_response x;
  x.status = status;
  x.body = body;
  return x;
}

} // namespace

TEST_CASE("a repeated request gets the first one's answer") {
  idempotency_memory memory;
  idempotency_memory::clock::time_point now{};
  CHECK_FALSE(memory.begin(request("k"), now));
  CHECK(memory.begin(request("k"), now)->status == 409); // under way
  memory.end("k", answer(200, "first"), now);
  auto again = memory.begin(request("k"), now);
  REQUIRE(again);
  CHECK(again->status == 200);
  CHECK(again->body == "first");
  CHECK(memory.begin(request("k", "{\"reason\":\"x\"}"), now)->status == 422);
  CHECK_FALSE(memory.begin(request("other"), now));
}

TEST_CASE("a fault of ours is forgotten, so that the repeat may succeed") {
  idempotency_memory memory;
  idempotency_memory::clock::time_point now{};
  CHECK_FALSE(memory.begin(request("k"), now));
  memory.end("k", answer(503, "later"), now);
  CHECK_FALSE(memory.begin(request("k"), now));
}

TEST_CASE("answers are kept for a while and not without bound") {
  idempotency_memory memory;
  idempotency_memory::clock::time_point now{};
  CHECK_FALSE(memory.begin(request("k"), now));
  memory.end("k", answer(200, "first"), now);
  CHECK(memory.begin(request("k"), now + idempotency_memory::kept_for / 2));
  CHECK_FALSE(memory.begin(request("k"), now + idempotency_memory::kept_for));
  memory.end("k", answer(200, "second"), now + idempotency_memory::kept_for);
  for (size_t i = 0; i < idempotency_memory::most_kept + 8; ++i)
    CHECK_FALSE(memory.begin(request("n" + std::to_string(i)), now + idempotency_memory::kept_for));
  CHECK_FALSE(memory.begin(request("k"), now + idempotency_memory::kept_for)); // pushed out
}
