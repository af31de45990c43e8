#include "tests/admin/served_node.hpp"

#include "actors/interfaces.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <doctest/doctest.h>

using namespace kevolve;
using test::shared_node;

namespace {

test::raw_answer post(const std::string& path, const json& body) {
  return shared_node().ask("POST", path, {{"Content-Type", "application/json"}}, to_text(body));
}

json told(const test::raw_answer& a, unsigned status) {
  CAPTURE(a.body);
  CHECK(a.status == status);
  return json::parse(a.body);
}

// A generator's question to the node's relay. The question ends with this object.
struct question {
  model_question asked;
  caf::actor asker;

  question() {
    auto& r = asked.record;
    r.id = {shared_node().campaign, 7, 0, 0};
    r.kind = "relay";
    r.tokens = 12;
    r.asked_ns = 1'000;
    asked.turns = {{"system", "the rules"}, {"user", "the step"}};
    asked.rules.current = {{"candidate.c", "void f(int n) {}\n"}};
    asked.rules.entry = "f";
    auto& n = *shared_node().running;
    asker = n.system().spawn([q = asked, whom = n.relay()](caf::event_based_actor* self) -> caf::behavior {
      self->request(whom, caf::infinite, atom::ask_v, q).then([](model_reply&) {}, [](caf::error&) {});
      return {[](atom::begin) {}};
    });
    while (shared_node().get("/v1/relay")["total"] == 0) {
    }
  }
  ~question() { caf::anon_send_exit(asker, caf::exit_reason::user_shutdown); }
  question(const question&) = delete;
  question& operator=(const question&) = delete;
  std::string path() const { return "/v1/relay/" + to_string(asked.record.id); }
};

} // namespace

TEST_CASE("a prompt is listed, taken, given back, answered and shown over HTTP") {
  CHECK(told(post("/v1/relay/next", {{"by", "alice"}}), 404)["type"] == "urn:kevolve:problem:nothing-waits");
  question q;
  auto listed = shared_node().get("/v1/relay")["items"][0];
  CHECK(listed["id"] == to_string(q.asked.record.id));
  CHECK(listed["lease"].is_null());
  CHECK_FALSE(listed.contains("messages"));

  CHECK(told(post("/v1/relay/next", {{"campaign", std::string(32, '0')}}), 404)["type"]
        == "urn:kevolve:problem:not-found");
  auto taken = told(post("/v1/relay/next", {{"by", "alice"}, {"lease_s", 60}}), 200);
  CHECK(taken["messages"][1] == json{{"role", "user"}, {"content", "the step"}});
  CHECK(taken["lease"]["holder"] == "alice");
  CHECK(post("/v1/relay/next", {{"by", "bob"}}).status == 404);
  CHECK(post(q.path() + "/release", {{"by", "bob"}}).status == 409);
  CHECK(told(post(q.path() + "/release", {{"by", "alice"}}), 200)["lease"].is_null());
  CHECK(told(post("/v1/relay/next", {{"by", "bob"}}), 200)["handed_out"] == 2);

  const auto reply = "```c candidate.c\nvoid f(int n) { (void)n; }\n```\n";
  auto receipt = told(post(q.path() + "/answer", {{"text", reply}, {"by", "bob"}, {"model", "pencil"}}), 200);
  CHECK(receipt["outcome"] == "candidate");
  CHECK(receipt["repeated"] == false);
  CHECK(told(post(q.path() + "/answer", {{"text", reply}}), 200)["repeated"] == true);
  CHECK(post(q.path() + "/answer", {{"text", "another"}}).status == 409);
  CHECK(shared_node().get("/v1/relay")["total"] == 0);
  auto whole = shared_node().get(q.path());
  CHECK(whole["answer"]["content"] == reply);
  CHECK(whole["answer"]["by"] == "bob");
  CHECK(whole["answer"]["model"] == "pencil");
}

TEST_CASE("invalid prompts, answers and leases are refused by name") {
  const auto nobody = "/v1/relay/" + std::string(32, '1') + "-1-0-0";
  CHECK(shared_node().ask("GET", nobody).status == 404);
  CHECK(post(nobody + "/answer", {{"text", "x"}}).status == 404);
  CHECK(post(nobody + "/release", json::object()).status == 404);
  CHECK(shared_node().ask("GET", "/v1/relay/17").status == 400);
  CHECK(post("/v1/relay/17/answer", {{"text", "x"}}).status == 400);
  CHECK(told(post(nobody + "/answer", json::object()), 422)["errors"][0]["key"] == "text");
  CHECK(told(post("/v1/relay/next", {{"lease_s", 0}}), 422)["errors"][0]["key"] == "lease_s");
  CHECK(told(post("/v1/relay/next", {{"lease_s", 1e9}}), 422)["errors"][0]["key"] == "lease_s");
}
