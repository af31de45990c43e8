// The network to PostgreSQL is slow or silent while campaigns run.
#include "tests/cluster/daemons.hpp"
#include "tests/cluster/relay.hpp"

#include <doctest/doctest.h>

#include <csignal>

using namespace kevolve::test;

namespace {

std::string through(const relay& r, const std::string& login, const std::string& database) {
  return "host=127.0.0.1 port=" + std::to_string(r.port()) + " user=" + login + " dbname=" + database;
}

} // namespace

TEST_CASE("a campaign goes on with this node's own device while the network to PostgreSQL is silent") {
  const auto database = fresh_database();
  relay network{shared_server().port()};
  node_folder home{database, "h1", "", "", through(network, "h1", database)};
  home.start();
  const auto id = home.told(short_campaign)["id"].get<std::string>();
  home.await_event(id, "node_finished");
  network.silence(true);
  REQUIRE(home.daemon->wait_for("PostgreSQL has not answered for"));
  CHECK(home.told({"nodes", "list"})["state"] == "away");
  home.await_event(id, "campaign_finished");
  CHECK(home.told({"status", id})["candidates"] == 6);
  network.silence(false);
  home.await_joined(2);
  CHECK(home.told({"nodes", "list"})["state"] == "joined");
  home.stop(SIGTERM, 0);
}

TEST_CASE("a slow network delays a campaign and loses nothing") {
  const auto database = fresh_database();
  relay network{shared_server().port()};
  network.delay(std::chrono::milliseconds{50});
  node_folder home{database, "h1", judges_elsewhere, "", through(network, "h1", database)};
  node_folder worker{database, "w1", "", "", through(network, "w1", database)};
  home.start();
  worker.start();
  const auto id =
      home.told({"submit", "row_energy.toml", "--set", "budget.candidates=2", "--set", "draft.candidates=2"})["id"]
          .get<std::string>();
  home.await_event(id, "campaign_finished");
  CHECK(home.told({"status", id})["candidates"] == 2);
  CHECK(home.told({"nodes", "list"})["state"] == "joined");
  CHECK(worker.told({"nodes", "list"})["refused"] == 0);
  worker.stop(SIGTERM, 0);
  home.stop(SIGTERM, 0);
}
