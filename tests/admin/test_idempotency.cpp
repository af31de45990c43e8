#include "runtime/node/admin/idempotency.hpp"
#include "tests/admin/killed_node.hpp"
#include "tests/admin/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>

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

TEST_CASE("a server error is forgotten, so that a repetition may succeed") {
  idempotency_memory memory;
  idempotency_memory::clock::time_point now{};
  CHECK_FALSE(memory.begin(request("k"), now));
  memory.end("k", answer(503, "later"), now);
  CHECK_FALSE(memory.begin(request("k"), now));
}

TEST_CASE("an effect whose record failed is not repeated") {
  idempotency_memory memory;
  idempotency_memory::clock::time_point now{};
  CHECK_FALSE(memory.begin(request("k"), now));
  memory.end_unrecorded("k");
  auto again = memory.begin(request("k"), now);
  REQUIRE(again);
  CHECK(again->status == 409);
  CHECK(again->body.find("outcome-unknown") != std::string::npos);
  CHECK(memory.begin(request("k", "{\"reason\":\"x\"}"), now)->status == 422);
}

TEST_CASE("answers are kept for a limited time and number") {
  idempotency_memory memory;
  idempotency_memory::clock::time_point now{};
  CHECK_FALSE(memory.begin(request("k"), now));
  memory.end("k", answer(200, "first"), now);
  CHECK(memory.begin(request("k"), now + idempotency_memory::kept_for / 2));
  CHECK_FALSE(memory.begin(request("k"), now + idempotency_memory::kept_for));
  memory.end("k", answer(200, "second"), now + idempotency_memory::kept_for);
  for (size_t i = 0; i < idempotency_memory::most_kept + 8; ++i)
    CHECK_FALSE(memory.begin(request("n" + std::to_string(i)), now + idempotency_memory::kept_for));
  CHECK_FALSE(memory.begin(request("k"), now + idempotency_memory::kept_for)); // evicted
}

TEST_CASE("answers survive the process, and unfinished requests are not repeated") {
  test::temporary_folder folder;
  idempotency_memory::clock::time_point now = idempotency_memory::clock::now();
  auto keep = [&](store& data, std::vector<write_op> writes) {
    transaction t{{}, std::move(writes)};
    REQUIRE(data.commit({&t, 1}));
  };
  {
    auto data = store::open(folder.path() + "/data");
    REQUIRE(data);
    idempotency_memory memory;
    for (const auto* key : {"answered", "failed", "cut"}) {
      CHECK_FALSE(memory.begin(request(key), now));
      keep(**data, memory.begin_writes(request(key), now));
    }
    keep(**data, idempotency_memory::end_writes(request("answered"), answer(200, "first"), now));
    keep(**data, idempotency_memory::end_writes(request("failed"), answer(503, "later"), now));
  }
  auto data = store::open(folder.path() + "/data");
  REQUIRE(data);
  idempotency_memory memory;
  REQUIRE(memory.restore(**data, now));
  CHECK(memory.begin(request("answered"), now)->body == "first");
  CHECK(memory.begin(request("answered", "{\"reason\":\"x\"}"), now)->status == 422);
  CHECK_FALSE(memory.begin(request("failed"), now));
  auto cut = memory.begin(request("cut"), now);
  REQUIRE(cut);
  CHECK(cut->status == 409);
  CHECK(cut->problem == "outcome-unknown");

  // An expired key is forgotten in memory, and in the store with the next write.
  auto later = now + idempotency_memory::kept_for;
  CHECK_FALSE(memory.begin(request("answered"), later));
  keep(**data, memory.begin_writes(request("another"), later));
  idempotency_memory after;
  REQUIRE(after.restore(**data, now));
  CHECK_FALSE(after.begin(request("cut"), now));
  CHECK(after.begin(request("another"), now)->problem == "outcome-unknown");
}

TEST_CASE("after kill -9 a repeated request gets the first one's answer and does nothing") {
  test::temporary_folder folder;
  auto out = folder.path() + "/copy";
  auto body = "{\"out\":\"" + out + "\"}";
  std::string first;
  {
    test::killed_node n{folder.path() + "/data"};
    auto made = n.post("/v1/backup", "the-key", body);
    REQUIRE_MESSAGE(made.status == 200, made.body);
    first = made.body;
    CHECK(n.post("/v1/backup", "another-key", body).status == 409); // the target exists
    n.kill();
  }
  std::filesystem::remove_all(out);
  test::killed_node n{folder.path() + "/data"};
  auto again = n.post("/v1/backup", "the-key", body);
  CHECK(again.status == 200);
  CHECK(again.body == first);
  CHECK_FALSE(std::filesystem::exists(out));
  CHECK(n.post("/v1/backup", "another-key", body).status == 409);
}
