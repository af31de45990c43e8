#include "actors/evaluation/bound_explanation.hpp"
#include "actors/evaluation/explanation.hpp"
#include "actors/evaluation/explanation_reasons.hpp"

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

profiling_record profile_of(uint64_t index, const std::string& bound, const std::string& failure = {}) {
  profiling_record r;
  r.index = index;
  r.bound = bound;
  r.confidence = 0.9;
  r.failure = failure;
  return r;
}

// Returns a campaign of 20 s with the usual share, whose best is the second candidate.
profiling_circumstances circumstances() {
  profiling_circumstances c;
  c.spent.share = 0.1;
  c.budget_s = 2.0;
  c.wall_s = 20.0;
  c.best = 2;
  c.judged = 5;
  return c;
}

profiled_pass pass(const std::string& name, const std::string& skipped, const std::string& remedy = {}) {
  profiled_pass p;
  p.name = name;
  p.skipped = skipped;
  p.remedy = remedy;
  return p;
}

nlohmann::json named_bound() {
  return {{"candidate", 2},
          {"relation", "the best itself"},
          {"title", "memory bandwidth"},
          {"strategy", "Move fewer bytes."}};
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

TEST_CASE("the profile that explains the best is its own, else that of the nearest candidate it was made from") {
  const std::vector<node_record> nodes{node(1, 0, 1.5, "tile"), node(2, 1, 3.0, "vectorise"), node(3, 0, 2.5, "jam"),
                                       node(4, 0, 2.9, "fuse")};
  const auto first = [&](std::vector<profiling_record> profiles) {
    return by_closeness(std::move(profiles), nodes, 2)[0];
  };
  CHECK(first({profile_of(1, "denormals"), profile_of(2, "compute")}).index == 2);
  CHECK(first({profile_of(0, "compute"), profile_of(3, "denormals"), profile_of(1, "denormals")}).index == 1);
  CHECK(first({profile_of(3, "denormals"), profile_of(0, "compute")}).index == 0);
  CHECK(first({profile_of(3, "denormals"), profile_of(4, "compute")}).index == 4); // the faster one
  // One that names nothing tells less than any that names a bottleneck.
  CHECK(first({profile_of(2, ""), profile_of(3, "denormals")}).index == 3);
  CHECK(relation_to(nodes, 2, 2) == "the best itself");
  CHECK(relation_to(nodes, 2, 1) == "the best was made from it");
  CHECK(relation_to(nodes, 2, 0) == "the best was made from it");
  CHECK(relation_to(nodes, 2, 3) == "another candidate");
}

TEST_CASE("a later profile that names nothing hides no bottleneck that the campaign recorded") {
  const auto all = known_profiles({profile_of(1, ""), profile_of(2, "compute")},
                                  {profile_of(1, "denormals"), profile_of(2, "spilling"), profile_of(3, "tlb_misses"),
                                   profile_of(4, "", "no device")});
  REQUIRE(all.size() == 3);
  CHECK(all[0].bound == "denormals");
  CHECK(all[1].bound == "compute"); // the latest that names one
  CHECK(all[2].index == 3);
}

TEST_CASE("a campaign without a profile of its best says whether the share, a failure or the settings kept it") {
  auto c = circumstances();
  c.wall_s = 12.0;
  CHECK(why_no_bound(c)
        == std::vector<std::string>{"a profile takes about 2 s, and the 10 % of 12.0 s that [profile] "
                                    "share allows are 1.2 s, of which 0.0 s were used"});
  c.wall_s = 20.0;
  CHECK(why_no_bound(c)[0].find("no step would have followed") == 0);
  c.best = 0;
  CHECK(why_no_bound(c)[0].find("nothing is faster than the reference") == 0);
  c.judged = 0;
  CHECK(why_no_bound(c)[0] == "the campaign judged no candidate");
  c.impossible = {{"cpu.ports", "there is no llvm-mca-19", "install llvm-19"}};
  CHECK(why_no_bound(c)[1] == "the pass cpu.ports cannot run here: there is no llvm-mca-19; install llvm-19");
  c.spent.failed = 3;
  c.spent.last_failure = "no sandbox";
  CHECK(why_no_bound(c)[0] == "3 of the campaign's profiles failed, the last: no sandbox");
  c.spent.share = 0.0;
  CHECK(why_no_bound(c)[0] == "the campaign profiles no candidate: [profile] share is 0");
}

TEST_CASE("a profile that names nothing says which passes were skipped, or that all ran") {
  auto c = circumstances();
  c.profiled = true;
  c.passes = {pass("admit", ""), pass("cpu.loops", ""), pass("roofline", ""), pass("synthesis", "")};
  CHECK(why_no_bound(c)
        == std::vector<std::string>{"its 2 passes ran, and none found a bottleneck that explains its time"});
  c.passes.push_back(pass("cpu.experiments", "the budget was spent by the passes before it", "a larger --budget"));
  CHECK(why_no_bound(c)
        == std::vector<std::string>{"the pass cpu.experiments did not run: the budget was spent by the "
                                    "passes before it; a larger --budget"});
  c.loops_timed = false;
  CHECK(why_no_bound(c)[1] == "no loop takes 1 µs an entry, which is too short to time");
}

TEST_CASE("reasons are the near roof, the bottleneck, each loop that stays and each kept line") {
  const auto free = loops_json({{2, "L0", loop_obstacle::none, "", loop_obstacle::none, ""}}, "one\ntwo");
  const nlohmann::json far{{"roof", {{"ns", 1.0}, {"by", "l3_bandwidth"}, {"headroom", 1.6}}}};
  const nlohmann::json near{{"roof", {{"ns", 1.0}, {"by", "l3_bandwidth"}, {"headroom", 1.2}}}};
  const nlohmann::json none = nlohmann::json::array();
  CHECK(reasons_json(free, none, nullptr, far).empty());
  CHECK(reasons_json(free, none, nullptr, nullptr).empty());
  const auto roof = reasons_json(free, none, nullptr, near);
  REQUIRE(roof.size() == 1);
  CHECK(roof[0]["words"].get<std::string>().find("1.20 times the least time that the third-level cache's bandwidth")
        != std::string::npos);
  CHECK(roof[0]["rewrite"].get<std::string>().find("Block") == 0);
  const auto stays =
      loops_json({{2, "L0", loop_obstacle::same_place, "they meet", loop_obstacle::none, ""}}, "one\ntwo");
  const nlohmann::json kept{{{"line", 0}, {"why", "no syntax tree"}}, {{"line", 9}, {"why", "a goto"}}};
  const auto all = reasons_json(stays, kept, named_bound(), far);
  REQUIRE(all.size() == 3);
  CHECK(all[0]["words"] == "candidate 2 is bound by memory bandwidth");
  CHECK(all[1]["line"] == 2);
  CHECK(all[1]["words"] == "its iterations stay in order: they meet");
  CHECK(all[2]["line"] == 9);
  for (const auto& r : all)
    CHECK_FALSE(r["rewrite"].get<std::string>().empty());
}

TEST_CASE("where no reason is known, a plain sentence says what was looked at and what was tried") {
  const std::vector<node_record> nodes{node(1, 0, 0.9, "tile"), node(2, 0, 0.0, "vectorise")};
  const auto free = loops_json({{2, "L0", loop_obstacle::none, "", loop_obstacle::none, ""},
                                {3, "L1", loop_obstacle::none, "", loop_obstacle::none, ""}},
                               "one\ntwo\nthree");
  CHECK(nothing_found(free, nodes, {"its 7 passes ran"})
        == "No reason was found: all 2 loops of the reference are free to be reordered and vectorised; 2 candidates "
           "were judged, and 1 of them passed; its 7 passes ran.");
  const auto unread = nothing_found(nlohmann::json::array(), nodes, {"one", "two"});
  CHECK(unread.find("reads no loop") != std::string::npos);
  CHECK(unread.find("no profile names a bottleneck, for 2 reasons") != std::string::npos);
}
