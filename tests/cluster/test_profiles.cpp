// Profiles of a campaign whose devices are on other nodes.
#include "tests/cluster/daemons.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>

using namespace kevolve::test;

TEST_CASE("a home without a device has its candidates profiled on the device of a worker") {
  const auto database = fresh_database();
  node_folder home{database, "h1", judges_elsewhere};
  node_folder worker{database, "w1", ""};
  home.start();
  worker.start();
  const auto id = home.told({"submit", "row_energy.toml", "--set", "budget.candidates=60", "--set", "budget.wall=20m",
                             "--set", "profile.share=0.9", "--set", "draft.candidates=2"})["id"]
                      .get<std::string>();
  const auto made = home.await_event(id, "candidate_profiled")["data"];
  CHECK_MESSAGE(made.value("failure", json()).is_null(), made.dump());
  home.told({"cancel", id});
  CHECK(shared_server().ask("select node from kevolve.jobs where kind = 'profile' and state = 'done'", database)
        == "w1");
  CHECK(shared_server().ask("select distinct priority from kevolve.jobs where kind = 'profile'", database) == "-1");
  CHECK(shared_server().ask("select bool_or(memory_mib > 0) from kevolve.jobs where kind = 'judge'", database) == "t");
  const auto profile = home.told({"profile", id, std::to_string(made["candidate"].get<uint64_t>()), "--stored"});
  CHECK_FALSE(profile["diagnosis"].is_null());
  const auto& passes = profile["passes"];
  CHECK(std::any_of(passes.begin(), passes.end(), [](const auto& p) { return p["state"] == "ran"; }));
  home.stop(SIGTERM, 0);
  CHECK(home.kevolve({"fsck", "--data", "kevolve-data"}).code == 0);
  worker.stop(SIGTERM, 0);
}
