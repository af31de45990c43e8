// Skills that homes share.
#include "tests/cluster/daemons.hpp"

#include <doctest/doctest.h>

#include <csignal>

using namespace kevolve::test;

namespace {

// Writes an export of one skill, and imports it there.
void learn(const node_folder& home, const std::string& moves, const std::string& family) {
  const json skill{
      {"features", 1},
      {"conditions",
       {{"target", "cpu"}, {"language", "c"}, {"families", {family}}, {"dtypes", {"f32"}}, {"hardware", {"x86-64"}}}},
      {"step", {{"moves", moves}, {"words", "as learnt on one node"}}},
      {"provenance",
       {{"campaign", std::string(32, 'a')},
        {"campaign_name", "rows"},
        {"task", "row_energy"},
        {"parent", 3},
        {"candidate", 4},
        {"by", "distilled"}}}};
  home.write("skill.json", json{{"format", 1}, {"skills", {skill}}}.dump());
  const auto said = home.kevolve({"skills", "import", "skill.json"});
  CHECK_MESSAGE(said.code == 0, said.err);
}

std::string the_only_skill(const node_folder& home, const std::string& family) {
  const auto all = home.told({"skills", "list", "--family", family});
  REQUIRE(all["total"] == 1);
  return all["items"][0]["id"].get<std::string>();
}

} // namespace

TEST_CASE("a home takes the skills of others as hypotheses, also those from before it joined, but none withdrawn") {
  const auto database = fresh_database();
  node_folder first{database, "h1", ""};
  node_folder second{database, "h2", ""};
  node_folder third{database, "h3", ""};
  first.start();
  second.start();
  learn(first, "vectorise(_1,16)", "reduction");
  REQUIRE(second.daemon->wait_for("a skill of node 'h1' is a hypothesis here"));
  const auto id = the_only_skill(second, "reduction");
  CHECK(id == the_only_skill(first, "reduction"));
  CHECK(second.told({"skills", "show", id})["state"] == "hypothesis");

  REQUIRE(first.kevolve({"skills", "revoke", id, "--why", "wrong with denormals"}).code == 0);
  first.stop(SIGTERM, 0);
  learn(second, "tile(_1,64)", "matmul");
  third.start();
  REQUIRE(third.daemon->wait_for("a skill of node 'h2' is a hypothesis here"));
  CHECK(third.told({"skills", "list"})["total"] == 1); // the matmul's: the other one is withdrawn
  second.stop(SIGTERM, 0);
  first.start(); // what was learnt while it was away
  REQUIRE(first.daemon->wait_for("a skill of node 'h2' is a hypothesis here"));
  first.stop(SIGTERM, 0);
  third.stop(SIGTERM, 0);
}
