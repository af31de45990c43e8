// PostgreSQL is locked, read-only or full while campaigns run.
#include "tests/cluster/daemons.hpp"
#include "tests/support/small_disk.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>

using namespace kevolve::test;

namespace {

constexpr const char* paused = "paused: other nodes have its devices, and ";

// A home whose candidates a worker judges, in the midst of a campaign.
struct judged_elsewhere {
  std::string database;
  node_folder home{database, "h1", judges_elsewhere};
  node_folder worker{database, "w1", ""};
  std::string id;

  explicit judged_elsewhere(std::string name) : database(std::move(name)) {
    home.start();
    worker.start();
    id = home.told(short_campaign)["id"].get<std::string>();
    home.await_event(id, "node_finished");
  }
  // Waits until the campaign is paused, and returns the reason.
  std::string await_pause() {
    REQUIRE(home.daemon->wait_for(paused));
    const auto status = home.told({"status", id});
    CHECK(status["state"] == "paused");
    CHECK(home.told({"nodes", "list"})["state"] == "away");
    return status["reason"].get<std::string>();
  }
  // The campaign resumes without a person, and no measurement is made twice.
  void finish() {
    home.await_event(id, "campaign_finished");
    CHECK(home.told({"status", id})["candidates"] == 6);
    CHECK(worker.told({"nodes", "list"})["refused"] == 0);
    home.stop(SIGTERM, 0);
    CHECK(home.kevolve({"fsck", "--data", "kevolve-data"}).code == 0);
    worker.stop(SIGTERM, 0);
  }
};

} // namespace

TEST_CASE("a campaign pauses while a statement waits for a lock, and goes on after it") {
  judged_elsewhere c{fresh_database()};
  auto holder = kevolve::postgres::connection::open(shared_server().options("owner", c.database));
  REQUIRE(holder.has_value());
  REQUIRE((*holder)->run_script("begin; lock table kevolve.jobs in access exclusive mode").has_value());
  CHECK(c.await_pause().find("statement timeout") != std::string::npos);
  REQUIRE((*holder)->run_script("commit").has_value());
  c.finish();
}

TEST_CASE("a campaign pauses while PostgreSQL is read-only, and goes on after it") {
  judged_elsewhere c{fresh_database()};
  shared_server().set("default_transaction_read_only", "on");
  CHECK(c.await_pause().find("read-only") != std::string::npos);
  shared_server().set("default_transaction_read_only", "off");
  c.finish();
}

TEST_CASE("a campaign pauses while PostgreSQL is full, and goes on after it") {
  auto& server = shared_server();
  small_disk disk{server.folder() + "/small", 24};
  if (!disk.why.empty()) {
    MESSAGE("skipped: a full PostgreSQL: " << disk.why << " (needs root)");
    return;
  }
  server.give(disk.path);
  server.run("create tablespace small location '" + disk.path + "'");
  server.make_cluster("full_disk", "lab", "tablespace small");
  {
    judged_elsewhere c{"full_disk"};
    fill(disk.path + "/filler");
    CHECK(c.await_pause().find("No space left") != std::string::npos);
    std::filesystem::remove(disk.path + "/filler");
    c.finish();
  }
  server.run("drop database full_disk with (force)");
  server.run("drop tablespace small");
}
