// PostgreSQL fails over to its standby during a campaign.
#include "tests/cluster/daemons.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>

using namespace kevolve::test;

TEST_CASE("a campaign goes on at the promoted standby, and nothing that was acknowledged is lost") {
  postgres_server primary;
  primary.make_cluster("lab");
  postgres_server standby{primary};
  const auto both = [&](const std::string& login) {
    return "host=127.0.0.1,127.0.0.1 port=" + std::to_string(primary.port()) + "," + std::to_string(standby.port())
           + " target_session_attrs=read-write dbname=lab user=" + login;
  };
  node_folder home{"lab", "h1", judges_elsewhere, "durable = \"cluster\"\n", both("h1")};
  node_folder worker{"lab", "w1", "", "", both("w1")};
  home.start();
  worker.start();
  const auto id = home.told(short_campaign)["id"].get<std::string>();
  home.await_event(id, "node_finished", 2);
  primary.kill();
  REQUIRE(home.daemon->wait_for("the records of the cluster cannot be written: "));
  CHECK(home.told({"status", id})["state"] == "paused");
  standby.promote();
  home.await_joined(2);
  worker.await_joined(2);
  home.await_event(id, "campaign_finished");
  CHECK(home.told({"status", id})["candidates"] == 6);
  CHECK(worker.told({"nodes", "list"})["refused"] == 0);
  const auto events = home.kevolve({"events", id, "--json"}).out;
  CHECK(standby.ask("select count(*) from kevolve.campaign_events where campaign = '" + id + "'", "lab")
        == std::to_string(std::count(events.begin(), events.end(), '\n')));
  home.stop(SIGTERM, 0);
  CHECK(home.kevolve({"fsck", "--data", "kevolve-data"}).code == 0);
  worker.stop(SIGTERM, 0);
}
