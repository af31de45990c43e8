#include "actors/evaluation/explanation.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

using namespace kevolve;

namespace {

node_record node(uint64_t index, uint64_t parent, double speedup, const std::string& summary) {
  node_record r;
  r.index = index;
  r.parents = {parent};
  r.result = speedup > 0.0 ? verdict::pass : verdict::wrong_result;
  r.speedup = speedup;
  r.proposal.summary = summary;
  return r;
}

} // namespace

TEST_CASE("steps without gain are listed once each, those from the best first, without those that led to it") {
  const std::vector<node_record> nodes{node(1, 0, 1.5, "tile"),        node(2, 1, 3.0, "vectorise"),
                                       node(3, 2, 2.95, "unroll"),     node(4, 2, 1.5, "stream"),
                                       node(5, 2, 0.0, "parallel"),    node(6, 1, 1.5, "unroll"),
                                       node(7, 0, 0.9, "interchange"), node(8, 2, 3.2, "jam")};
  const auto out = attempts_without_gain(nodes, 2, 10);
  REQUIRE(out.size() == 4);
  CHECK(out[0].summary == "unroll");
  CHECK(out[0].outcome == "no difference");
  CHECK(out[0].parent == 2);
  CHECK(out[1].outcome == "slower");
  CHECK(out[2].outcome == "wrong_result");
  CHECK(out[3].summary == "interchange");
  CHECK(out[3].parent == 0);
  CHECK(attempts_without_gain(nodes, 2, 2).size() == 2);
}

TEST_CASE("every obstacle has a rewrite that unlocks it") {
  for (size_t i = 1; i < obstacle_texts.size(); ++i) {
    const auto& row = row_of(static_cast<loop_obstacle>(i));
    CAPTURE(obstacle_texts[i]);
    CHECK_FALSE(row.rewrite.empty());
  }
  std::vector<loop_reading> reading;
  reading.push_back({2, "L0", loop_obstacle::overlap, "x and y may overlap", loop_obstacle::overlap, ""});
  reading.push_back({3, "L1", loop_obstacle::none, "", loop_obstacle::order_of_sum, "s cannot be split into lanes"});
  const auto loops = loops_json(reading, "one\n  two\nthree");
  CHECK(loops[0]["source"] == "two");
  CHECK(loops[0]["order"]["assertion"].get<std::string>().find("no alias") != std::string::npos);
  CHECK(loops[1]["order"].is_null());
  CHECK(loops[1]["vectors"]["obstacle"] == "order_of_sum");
  CHECK(loops[1]["vectors"]["task_lines"].is_null());
}

TEST_CASE("a loop that an assertion unlocks has the lines to paste into the task") {
  std::vector<loop_reading> reading;
  reading.push_back({2, "L0", loop_obstacle::indirect_place, "iterations may meet in y", loop_obstacle::none, ""});
  const auto loops = loops_json(reading, "one\n  two\nthree");
  CHECK(loops[0]["order"]["task_lines"] == "[[assert]]\nkind = \"independent\"\nline = 2\n");
}
