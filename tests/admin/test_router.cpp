#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/json.hpp"
#include "runtime/node/admin/router.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <set>

using namespace kevolve;

TEST_CASE("paths map to their route, values and refusals") {
  router r{api_routes()};
  struct {
    const char* method;
    const char* target;
    const char* id; // id of the route; nullptr: rejected
    unsigned status;
    const char* allow;
  } cases[] = {
      {"GET", "/healthz", "healthz", 0, ""},
      {"GET", "/v1/campaigns", "list_campaigns", 0, ""},
      {"GET", "/v1/campaigns?limit=5&cursor=10", "list_campaigns", 0, ""},
      {"GET", "/v1/campaigns/abcd", "get_campaign", 0, ""},
      {"GET", "/v1/campaigns/abcd/nodes/7", "get_node", 0, ""},
      {"POST", "/v1/campaigns/abcd/pause", "pause_campaign", 0, ""},
      {"GET", "/v1/actors/tree", "get_actor_tree", 0, ""},
      {"GET", "/v1/actors/12", "get_actor", 0, ""},
      {"GET", "/v1/actors/%31%32", "get_actor", 0, ""},
      {"GET", "/", "page", 0, ""},
      {"GET", "/page/app.js", "page_app_js", 0, ""},
      {"GET", "/page/", nullptr, 404, ""},
      {"GET", "/page/../token", nullptr, 404, ""},
      {"GET", "/v1", nullptr, 404, ""},
      {"GET", "/v1/campaigns/", nullptr, 404, ""},
      {"GET", "/v1/campaigns/a/b", nullptr, 404, ""},
      {"GET", "/v1/campaigns/%", nullptr, 404, ""},
      {"GET", "/v1/campaigns/%00", nullptr, 404, ""},
      {"GET", "healthz", nullptr, 400, ""},
      {"DELETE", "/v1/campaigns/abcd", nullptr, 405, "GET"},
      {"GET", "/v1/campaigns/abcd/pause", nullptr, 405, "POST"},
      {"POST", "/v1/actors/tree", nullptr, 405, "GET"},
      {"GET", "/v1/campaigns?limit=0", nullptr, 400, ""},
      {"GET", "/v1/campaigns?limit=1001", nullptr, 400, ""},
      {"GET", "/v1/campaigns?limit=-1", nullptr, 400, ""},
      {"GET", "/v1/campaigns?limit=99999999999999999999", nullptr, 400, ""},
      {"GET", "/v1/campaigns?limit=1&limit=2", nullptr, 400, ""},
      {"GET", "/v1/campaigns?colour=red", nullptr, 400, ""},
      {"GET", "/v1/campaigns?state=happy", nullptr, 400, ""},
      {"GET", "/v1/campaigns?state=%zz", nullptr, 400, ""},
      {"GET", "/v1/actors?state=dead", "list_actors", 0, ""},
      {"GET", "/v1/actors?state=happy", nullptr, 400, ""},
      {"GET", "/v1/actors?state=", nullptr, 400, ""},
  };
  for (const auto& c : cases) {
    CAPTURE(c.method);
    CAPTURE(c.target);
    auto found = r.match(c.method, c.target);
    REQUIRE(found.has_value() == (c.id != nullptr));
    if (found)
      CHECK(found->to->id == c.id);
    else {
      CHECK(found.error().why.status == c.status);
      CHECK(found.error().allow == c.allow);
    }
  }
}

TEST_CASE("values of a path are decoded") {
  router r{api_routes()};
  auto found = r.match("GET", "/v1/campaigns/ab%2Fcd/nodes/7");
  REQUIRE(found);
  CHECK(found->path.at("id") == "ab/cd");
  CHECK(found->path.at("index") == "7");
  auto listed = r.match("GET", "/v1/actors?kind=search+node%26b&state=%62usy");
  REQUIRE(listed);
  CHECK(listed->query.at("kind") == "search node&b");
  CHECK(listed->query.at("state") == "busy");
}

TEST_CASE("only health and the page's static files are open without a token") {
  router r{api_routes()};
  CHECK(r.is_open("/healthz"));
  CHECK(r.is_open("/readyz?x=1"));
  for (const auto& one : r.table())
    CHECK(r.is_open(one.pattern)
          == (one.pattern == "/healthz" || one.pattern == "/readyz" || one.pattern == "/"
              || one.pattern.starts_with("/page/")));
}

TEST_CASE("the OpenAPI document has every route of the table") {
  auto table = api_routes();
  auto document = json::parse(openapi_of(table, "1.2.3"));
  CHECK(document["openapi"] == "3.1.0");
  CHECK(document["info"]["version"] == "1.2.3");
  size_t operations = 0;
  for (const auto& [path, methods] : document["paths"].items())
    operations += methods.size();
  CHECK(operations == table.size());
  for (const auto& one : table) {
    CAPTURE(one.pattern);
    auto method = one.method == "GET" ? "get" : "post";
    const auto& operation = document["paths"][one.pattern][method];
    CHECK(operation["operationId"] == one.id);
    CHECK(operation.contains("security") == one.open);
    auto braces = std::count(one.pattern.begin(), one.pattern.end(), '{');
    size_t in_path = 0;
    if (operation.contains("parameters"))
      for (const auto& p : operation["parameters"])
        in_path += p["in"] == "path" ? 1U : 0U;
    CHECK(in_path == static_cast<size_t>(braces));
  }
}

TEST_CASE("the router finds every operation that the OpenAPI document promises") {
  router r{api_routes()};
  auto document = json::parse(openapi_of(r.table(), "1.2.3"));
  for (const auto& [path, methods] : document["paths"].items())
    for (const auto& [method, operation] : methods.items()) {
      std::string target;
      for (size_t i = 0; i < path.size(); ++i) {
        target += path[i] == '{' ? 'a' : path[i];
        if (path[i] == '{')
          i = path.find('}', i);
      }
      CAPTURE(target);
      auto name = method;
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
      auto found = r.match(name, target);
      REQUIRE(found);
      CHECK(found->to->id == operation["operationId"].get<std::string>());
      CHECK(operation["responses"]["default"]["$ref"] == "#/components/responses/problem");
    }
}

TEST_CASE("the OpenAPI document describes resuming after an event that the log may not reach") {
  auto document = json::parse(openapi_of(api_routes(), "1"));
  std::set<std::string> told;
  for (const auto& [path, methods] : document["paths"].items())
    for (const auto& [method, operation] : methods.items()) {
      auto goes_on = false;
      if (operation.contains("parameters"))
        for (const auto& p : operation["parameters"])
          goes_on = goes_on || p["name"] == "after";
      CAPTURE(path);
      if (method == "get") // others have conflicts of their own
        CHECK(operation["responses"].contains("409") == goes_on);
      if (!goes_on)
        continue;
      told.insert(operation["operationId"]);
      const auto& refused = operation["responses"]["409"];
      CHECK(refused["description"].get<std::string>().find("beyond-the-end") != std::string::npos);
      CHECK(refused["content"]["application/problem+json"]["schema"]["$ref"] == "#/components/schemas/problem");
    }
  CHECK(told == std::set<std::string>{"get_history", "list_events"});
  CHECK(document["components"]["schemas"]["problem"]["required"].size() == 4);
}

TEST_CASE("the OpenAPI document states time and number limits of idempotency keys") {
  auto document = json::parse(openapi_of(api_routes(), "1"));
  auto parameters = document["paths"]["/v1/campaigns"]["post"]["parameters"];
  std::string said;
  for (const auto& p : parameters)
    if (p["name"] == "Idempotency-Key")
      said = p["description"];
  CHECK(said.find("24 hours or until 4096 newer keys have come, whichever is sooner") != std::string::npos);
}

TEST_CASE("campaigns may be listed by each possible state") {
  router r{api_routes()};
  auto document = json::parse(openapi_of(r.table(), "1"));
  std::set<std::string> named;
  for (const auto& p : document["paths"]["/v1/campaigns"]["get"]["parameters"])
    if (p["name"] == "state")
      for (const auto& choice : p["schema"]["enum"])
        named.insert(choice);
  // The states as written by actors/campaign/campaign*.cpp and runtime/node/campaigns.cpp.
  for (const auto* state : {"preparing", "running", "paused", "finishing", "stopped", "finished", "failed"})
    CHECK_MESSAGE(named.contains(state), state);
}

TEST_CASE("each kind of failure is a separate problem, complete after RFC 9457") {
  std::set<std::string> types;
  for (int code = static_cast<int>(errc::bad_input); code <= static_cast<int>(errc::internal); ++code) {
    auto answer = to_response(to_problem({static_cast<errc>(code), "why"}));
    CAPTURE(answer.body);
    auto document = json::parse(answer.body);
    CHECK(answer.content_type == "application/problem+json");
    CHECK(answer.status >= 400);
    CHECK(document["status"] == answer.status);
    CHECK(document["detail"] == "why");
    CHECK(document["title"].get<std::string>().size() > 1);
    CHECK(types.insert(document["type"].get<std::string>()).second);
  }
}
