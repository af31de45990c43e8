// Data directories that earlier versions wrote: this version opens them, folds the same tree and finishes the campaign.
#include "actors/campaign/tree_page.hpp"
#include "tests/node/live_node.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>

using namespace kevolve;
using namespace kevolve::test;

namespace {

std::string fixture(const std::string& name) {
  return std::string{std::getenv("KEVOLVE_SOURCE")} + "/tests/node/fixtures/" + name;
}

nlohmann::json stored_tree(const std::string& name) {
  std::ifstream in{fixture(name)};
  return nlohmann::json::parse(in);
}

void unpack(const std::string& archive, const std::string& folder) {
  const auto command = "tar -xzf '" + fixture(archive) + "' -C '" + folder + "'";
  REQUIRE(std::system(command.c_str()) == 0);
}

nlohmann::json interval(const node_brief& b) {
  return b.ci_low == 0.0 && b.ci_high == 0.0 ? nlohmann::json{} : nlohmann::json{b.ci_low, b.ci_high};
}

void check_same_nodes(const campaign_fold& f, const nlohmann::json& nodes) {
  const auto page = page_of_tree(f, false, 0, UINT64_MAX);
  REQUIRE(page.total == nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto& now = page.items[i];
    const auto& then = nodes[i];
    INFO("node " << i);
    CHECK(now.index == then["index"].get<uint64_t>());
    CHECK(now.parents == then["parents"].get<std::vector<uint64_t>>());
    CHECK((i == 0 ? "reference" : to_string(now.result)) == then["verdict"].get<std::string>());
    CHECK(now.speedup == then["speedup"].get<double>());
    CHECK(interval(now) == then["ci95"]);
    CHECK(now.estimate == then["estimate"].get<bool>());
    CHECK(now.confirmed == then["confirmed"].get<bool>());
    CHECK(now.visits == then["visits"].get<uint64_t>());
  }
}

} // namespace

// 60 candidates of config/examples/softmax.toml, written with record version 1; its final confirmation is missing.
TEST_CASE("a data directory of record version 1 folds to the same tree and its campaign ends") {
  scratch_folder dir;
  unpack("softmax_unconfirmed.tar.gz", dir.path);
  const auto then = stored_tree("softmax_unconfirmed.tree.json");
  const auto id = parse_id(then["campaign"].get<std::string>());
  const auto before = folded(dir.path, id);
  CHECK(before.mismatch == "");
  CHECK(!before.ended);
  CHECK(to_string(before.tree.hash()) == then["tree_hash"].get<std::string>());
  CHECK(before.last_sequence == then["last_sequence"].get<uint64_t>());
  check_same_nodes(before, then["nodes"]);

  {
    live_node n{dir.path, {.resume_all = true}};
    const auto end = n.await_end(id);
    CHECK(end.state == "finished");
    CHECK(end.stop_reason == end_reason::budget);
    CHECK(end.candidates == 60);
    CHECK(end.best != 0);
    CHECK(end.final_confirmed);
  }

  const auto after = audit(dir.path, id);
  CHECK(after.ended);
  CHECK(after.tree.size() == before.tree.size()); // nothing is made again
  CHECK(after.finish.best != 0);
}
