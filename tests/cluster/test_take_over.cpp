// Campaigns that survive their node.
#include "tests/cluster/daemons.hpp"

#include <doctest/doctest.h>

#include <csignal>

using namespace kevolve::test;

namespace {

constexpr const char* durable = "durable = \"cluster\"\n";

std::string events_of(const node_folder& home, const std::string& id) {
  std::string out;
  const auto all = home.kevolve({"events", id, "--json"}).out;
  for (size_t from = 0; from < all.size();) {
    const auto end = all.find('\n', from);
    auto e = json::parse(all.substr(from, end - from));
    out += e["kind"].get<std::string>() + " " + e.value("data", json::object()).dump() + "\n";
    from = end == std::string::npos ? all.size() : end + 1;
  }
  return out;
}

} // namespace

TEST_CASE("a campaign whose node dies goes on at another home, and its old node stands down") {
  const auto database = fresh_database();
  node_folder first{database, "h1", judges_elsewhere, durable};
  node_folder second{database, "h2", judges_elsewhere, durable};
  node_folder worker{database, "w1", ""};
  worker.start();
  first.start();
  second.start();
  const auto id = first.told(short_campaign)["id"].get<std::string>();
  first.await_event(id, "node_finished", 2);
  const auto before = events_of(first, id);
  first.stop(SIGKILL, 128 + SIGKILL);
  REQUIRE(second.daemon->wait_for("campaign " + id + " goes on here: it was on a node that is gone"));
  second.await_event(id, "campaign_finished");
  const auto status = second.told({"status", id});
  CHECK(status["state"] == "finished");
  CHECK(status["candidates"] == 6);
  CHECK(events_of(second, id).starts_with(before)); // nothing that was acknowledged is lost
  first.daemon = std::make_unique<program>("kevolved", std::vector<std::string>{"kevolved.toml"}, first.path);
  CHECK(first.daemon->wait_for("the campaign lives on node 'h2' now"));
  first.stop(SIGTERM, 0);
  second.stop(SIGTERM, 0);
  CHECK(second.kevolve({"fsck", "--data", "kevolve-data"}).code == 0);
  worker.stop(SIGTERM, 0);
}

TEST_CASE("a home goes on with its own campaigns after a kill, and waits while PostgreSQL is away") {
  const auto database = fresh_database();
  node_folder home{database, "h1", "", durable};
  home.start();
  const auto id = home.told(short_campaign)["id"].get<std::string>();
  home.await_event(id, "node_finished", 2);
  shared_server().kill();
  home.stop(SIGKILL, 128 + SIGKILL);
  home.daemon = std::make_unique<program>("kevolved", std::vector<std::string>{"kevolved.toml"}, home.path);
  REQUIRE(home.daemon->wait_for("serving "));
  shared_server().start();
  REQUIRE(home.daemon->wait_for("campaign " + id + " goes on here: it was this node's"));
  home.await_event(id, "node_finished", 3);
  shared_server().kill(); // while it runs
  shared_server().start();
  home.await_event(id, "campaign_finished");
  CHECK(home.told({"status", id})["candidates"] == 6);
  home.stop(SIGTERM, 0);
  CHECK(home.kevolve({"fsck", "--data", "kevolve-data"}).code == 0);
}
