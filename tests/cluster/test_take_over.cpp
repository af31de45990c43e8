// Campaigns that survive their node.
#include "tests/cluster/daemons.hpp"
#include "tools/kevolve/exit_codes.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <set>

using namespace kevolve::test;

namespace {

constexpr const char* durable = "durable = \"cluster\"\n";

std::string events_of(const node_folder& home, const std::string& id) {
  std::string out;
  for (const auto& e : home.events(id))
    out += e["kind"].get<std::string>() + " " + e.value("data", json::object()).dump() + "\n";
  return out;
}

const std::vector<std::string> longer_campaign{"submit", "row_energy.toml", "--set", "budget.candidates=5"};

// Returns the candidates with more than one event node_finished.
std::vector<uint64_t> finished_twice(const node_folder& home, const std::string& id) {
  std::set<uint64_t> seen;
  std::vector<uint64_t> out;
  for (const auto& e : home.events(id))
    if (e["kind"] == "node_finished" && !seen.insert(e["data"]["index"].get<uint64_t>()).second)
      out.push_back(e["data"]["index"].get<uint64_t>());
  return out;
}

} // namespace

TEST_CASE("a campaign goes on at another home, and comes back to a home that has stood down") {
  const auto database = fresh_database();
  node_folder first{database, "h1", judges_elsewhere, durable};
  node_folder second{database, "h2", judges_elsewhere, durable};
  node_folder worker{database, "w1", ""};
  worker.start();
  first.start();
  second.start();
  const auto id = first.told(longer_campaign)["id"].get<std::string>();
  first.await_event(id, "node_finished", 2);
  first.daemon->signal(SIGSTOP); // as a machine that hangs
  REQUIRE(second.daemon->wait_for("campaign " + id + " goes on here: it was on a node that is gone"));
  second.await_event(id, "session_started", 2);
  first.daemon->signal(SIGCONT);
  REQUIRE(first.daemon->wait_for("campaign " + id + " stops here: the campaign lives on node 'h2' now"));
  const auto moved = first.told({"status", id});
  CHECK(moved["state"] == "elsewhere");
  CHECK(moved["reason"] == "the campaign lives on node 'h2' now");
  for (const auto* verb : {"pause", "cancel", "watch"}) {
    const auto refused = first.kevolve({verb, id});
    CHECK(refused.code == kevolve::exit_code::conflict);
    CHECK(refused.err.find("the campaign lives on node 'h2' now") != std::string::npos);
  }
  second.await_event(id, "node_finished", 3);
  const auto before = events_of(second, id);
  second.stop(SIGKILL, 128 + SIGKILL);
  CHECK(second.told({"status", id})["reason"].get<std::string>().find("another home of cluster 'lab' goes on with it")
        != std::string::npos);
  REQUIRE(first.daemon->wait_for("campaign " + id + " goes on here: it was on a node that is gone"));
  first.await_event(id, "campaign_finished");
  CHECK(first.told({"status", id})["candidates"] == 5);
  CHECK(events_of(first, id).starts_with(before)); // nothing that was acknowledged is lost
  CHECK(finished_twice(first, id).empty());
  second.daemon = std::make_unique<program>("kevolved", std::vector<std::string>{"kevolved.toml"}, second.path);
  CHECK(second.daemon->wait_for("the campaign lives on node 'h1' now"));
  CHECK(second.told({"status", id})["state"] == "elsewhere");
  second.stop(SIGTERM, 0);
  first.stop(SIGTERM, 0);
  CHECK(first.kevolve({"fsck", "--data", "kevolve-data"}).code == 0);
  worker.stop(SIGTERM, 0);
}

TEST_CASE("a home goes on with its own campaigns after a kill, and waits while PostgreSQL is away") {
  const auto database = fresh_database();
  node_folder home{database, "h1", "", durable};
  home.start();
  const auto id = home.told(short_campaign)["id"].get<std::string>();
  home.await_event(id, "node_finished", 2);
  shared_server().kill();
  REQUIRE(home.daemon->wait_for("PostgreSQL does not answer"));
  const auto refused = home.kevolve(short_campaign);
  CHECK(refused.code == kevolve::exit_code::unreachable);
  CHECK_MESSAGE(refused.err.find("the cluster cannot be asked, and keeps what this node does") != std::string::npos,
                refused.err);
  const auto copied = home.kevolve({"backup", "--out", home.path + "/copy"}); // what is this node's alone goes on
  CHECK_MESSAGE(copied.code == 0, copied.err);
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
