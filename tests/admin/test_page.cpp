#include "runtime/node/admin/json.hpp"
#include "runtime/node/page/embedded.hpp"
#include "tests/admin/served_node.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace kevolve;
using test::shared_node;

namespace {

std::string own_path() {
  return "/v1/campaigns/" + to_string(shared_node().campaign);
}

} // namespace

TEST_CASE("the page's files need no token, equal the embedded ones and restrict other content") {
  auto& n = shared_node();
  REQUIRE(page_files().size() == 4);
  for (const auto& file : page_files()) {
    auto path = file.name == "index.html" ? std::string{"/"} : "/page/" + std::string{file.name};
    CAPTURE(path);
    auto answer = n.ask("GET", path, {{"Authorization", "Bearer wrong"}});
    CHECK(answer.status == 200);
    CHECK(answer.body == file.bytes);
    CHECK(answer.headers.at("content-type") == file.content_type);
    auto policy = answer.headers.at("content-security-policy");
    CHECK(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"));
    CHECK(policy.find("unsafe") == std::string::npos);
    CHECK(answer.headers.at("x-content-type-options") == "nosniff");
    CHECK(answer.headers.at("referrer-policy") == "no-referrer");
  }
  CHECK(n.ask("GET", "/page/token").status != 200);
  CHECK(n.ask("POST", "/").status == 405);
}

TEST_CASE("a campaign's history lists its events in short form, in order, from any position") {
  auto& n = shared_node();
  auto history = n.get(own_path() + "/history");
  auto events = n.get("/v1/events?limit=1000&campaign=" + to_string(n.campaign));
  REQUIRE(!history["items"].empty());
  size_t expected = 0;
  for (const auto& e : events["items"])
    expected += e["kind"] == "evaluation_intent" || e["kind"] == "evaluation_result" ? 0U : 1U;
  CHECK(history["items"].size() == expected);
  CHECK(history["last_sequence"] == events["items"].back()["sequence"]);
  CHECK(history["truncated"] == false);
  auto second = history["items"][1]["sequence"].get<uint64_t>();
  auto rest = n.get(own_path() + "/history?after=" + std::to_string(second));
  CHECK(rest["items"].size() == expected - 2);
  CHECK(rest["items"][0]["sequence"] > second);
  const auto last = n.append_event("the last");
  auto none = n.get(own_path() + "/history?after=" + std::to_string(last));
  CHECK(none["items"].empty());
  CHECK(none["last_sequence"] == last);
  for (const auto beyond : {last + 1, uint64_t{4'000'000'000}}) {
    auto refused = n.ask("GET", own_path() + "/history?after=" + std::to_string(beyond));
    CHECK(refused.status == 409);
    auto why = json::parse(refused.body);
    CHECK(why["type"] == "urn:kevolve:problem:beyond-the-end");
    CHECK(why["detail"].get<std::string>().starts_with("the log ends at event " + std::to_string(last) + ", before "));
  }
  for (const auto& e : history["items"])
    if (e["kind"] == "node_finished") {
      CHECK(e["data"].contains("parents"));
      CHECK(e["data"]["proposal"].contains("generator"));
      CHECK(!e["data"]["proposal"].contains("genome"));
    }
}

TEST_CASE("a campaign's task is shown, with null for work that it does not declare") {
  auto task = shared_node().get(own_path() + "/task");
  CHECK(task["name"] == "twice");
  CHECK(task["language"] == "c");
  CHECK(task["prototype"].get<std::string>().find('(') != std::string::npos);
  CHECK(task["work"] == json{{"flops", nullptr}, {"bytes", nullptr}});
  CHECK(task["files"]["reference"] == test::reference_source);
  CHECK(task["files"]["oracle"].is_null());
}
