// Campaigns whose jobs run on other nodes.
#include "tests/cluster/daemons.hpp"
#include "tools/kevolve/exit_codes.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>

using namespace kevolve::test;

TEST_CASE("a home without a device runs a campaign on the device of a worker, and another home buys nothing again") {
  const auto database = fresh_database();
  node_folder home{database, "h1", judges_elsewhere};
  node_folder worker{database, "w1", ""};
  home.start();
  worker.start();
  CHECK(worker.kevolve({"submit", "row_energy.toml"}).err.find("submit the campaign to a home") != std::string::npos);
  CHECK(worker.kevolve({"nodes", "list"}).out.find("is a worker and may not list nodes") != std::string::npos);
  home.told({"nodes", "drain", "w1"});
  const auto id = home.told(short_campaign)["id"].get<std::string>();
  const std::string nobody =
      "other nodes have its devices, and none of them is there for target cpu: node 'w1' is draining";
  REQUIRE(home.daemon->wait_for("paused: " + nobody));
  CHECK(home.told({"status", id})["reason"] == nobody);
  home.told({"nodes", "undrain", "w1"});
  home.await_event(id, "campaign_finished");
  const auto status = home.told({"status", id});
  CHECK(status["state"] == "finished");
  CHECK(status["candidates"] == 6);
  CHECK(status["valid"].get<int>() > 0);
  const auto nodes = home.told({"nodes", "list"});
  CHECK(nodes["state"] == "joined");
  CHECK(nodes["sent"] == nodes["received"]);
  CHECK(nodes["sent"].get<int>() > 6); // each was judged there
  CHECK(home.node("w1")["state"] == "live");
  CHECK(home.told({"nodes", "show", "w1"})["resources"].size() == 4);
  CHECK(home.kevolve({"nodes", "show", "w9"}).code == 3);

  node_folder other{database, "h2", judges_elsewhere};
  other.start();
  const auto again = other.told(short_campaign)["id"].get<std::string>();
  other.await_event(again, "campaign_finished");
  CHECK(other.told({"nodes", "list"})["reused"].get<int>() > 0);
  other.stop(SIGTERM, 0);
  worker.stop(SIGTERM, 0);
  CHECK(home.node("w1")["state"] == "left");
  home.stop(SIGTERM, 0);
}

TEST_CASE("a node whose password other users may read says so") {
  node_folder worker{fresh_database(), "w1", ""};
  std::filesystem::permissions(worker.path + "/password", std::filesystem::perms{0640});
  worker.start();
  CHECK(worker.daemon->wait_for("cluster.password_file: password may be read by other users: chmod 600 it"));
  worker.stop(SIGTERM, 0);
}

TEST_CASE("a node without its password's file is refused at its start") {
  node_folder home{fresh_database(), "h1", ""};
  std::filesystem::remove(home.path + "/password");
  const auto refused = program{"kevolved", {"kevolved.toml"}, home.path}.finish();
  CHECK(refused.code == kevolve::exit_code::usage);
  CHECK(refused.err.find("cluster.password_file: cannot read password: No such file") != std::string::npos);
}

TEST_CASE("workers and PostgreSQL die during a campaign, and nothing is lost or counted twice") {
  const auto database = fresh_database();
  node_folder home{database, "h1", judges_elsewhere};
  node_folder first{database, "w1", ""};
  home.start();
  first.start();
  const auto id = home.told(short_campaign)["id"].get<std::string>();
  home.await_event(id, "node_finished");
  first.stop(SIGKILL, 128 + SIGKILL);
  node_folder second{database, "w2", ""};
  second.start();
  home.await_event(id, "node_finished", 3);
  shared_server().kill();
  shared_server().start();
  home.await_event(id, "campaign_finished");
  CHECK(home.told({"status", id})["candidates"] == 6);
  home.stop(SIGTERM, 0);
  CHECK(home.kevolve({"fsck", "--data", "kevolve-data"}).code == 0);
  second.stop(SIGTERM, 0);
}

TEST_CASE("a drained worker gets nothing, and a second daemon of its name is refused until it is gone") {
  const auto database = fresh_database();
  node_folder home{database, "h1", judges_elsewhere};
  node_folder worker{database, "w1", ""};
  home.start();
  worker.start();
  CHECK(home.told({"nodes", "drain", "w1"})["node"] == "w1");
  CHECK(home.node("w1")["state"] == "draining");
  CHECK(home.kevolve({"nodes", "drain", "w9"}).code == 3);
  CHECK(home.told({"nodes", "undrain", "w1"})["node"] == "w1");
  node_folder twin{database, "w1", ""};
  twin.daemon = std::make_unique<program>("kevolved", std::vector<std::string>{"kevolved.toml"}, twin.path);
  CHECK(twin.daemon->wait_for("there is a live node 'w1' already"));
  twin.stop(SIGTERM, 0);
  worker.stop(SIGTERM, 0);
  home.stop(SIGTERM, 0);
}
