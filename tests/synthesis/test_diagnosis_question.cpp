#include "actors/synthesis/diagnosis_question.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::synthesis;

TEST_CASE("a diagnosis is read from lines in any order, decorated or not; other lines are skipped") {
  const auto d = read_diagnosis(
      "Let me see.\n**Deferred:** the tail\nLOOK UP: split accumulators\n- problem: one chain of additions\n"
      "evidence: 4 cycles an element\nproblem: a second one\nlook up: fast math flags\n");
  CHECK(d.problem == "one chain of additions");
  CHECK(d.evidence == "4 cycles an element");
  CHECK(d.deferred == std::vector<std::string>{"the tail"});
  CHECK(d.look_up == std::vector<std::string>{"split accumulators", "fast math flags"});
}

TEST_CASE("without a problem a diagnosis is empty, and long ones are cut") {
  CHECK(read_diagnosis("look up: something\n").look_up.empty());
  CHECK(read_diagnosis("").problem.empty());
  CHECK(read_diagnosis("problem: " + std::string(5'000, 'x')).problem.size() <= 300);
  std::string many = "problem: x\n";
  for (int i = 0; i < 50; ++i)
    many += "deferred: y\n";
  CHECK(read_diagnosis(many).deferred.size() == 4);
}

TEST_CASE("a diagnosis stands first in the report, and what was measured is deferred") {
  prompt_facts facts;
  facts.reported.by = "measurements";
  facts.reported.problems.push_back({"memory bandwidth", "", "", 0.5, false});
  add_diagnosis(facts, {});
  CHECK(facts.reported.by == "measurements");
  CHECK(facts.diagnosis.empty());
  add_diagnosis(facts, read_diagnosis("problem: lanes\ndeferred: tail\nlook up: masks\n"));
  CHECK(facts.reported.by == "model");
  REQUIRE(facts.reported.problems.size() == 3);
  CHECK(facts.reported.problems[0].problem == "lanes");
  CHECK(facts.reported.problems[1].deferred);
  CHECK(facts.diagnosis == "problem: lanes\ndeferred: tail\n");
}

TEST_CASE("only a judged parent that is shown can be diagnosed") {
  prompt_facts facts;
  CHECK_FALSE(can_diagnose(facts));
  facts.parents.emplace_back();
  CHECK_FALSE(can_diagnose(facts));
  facts.parents.front().node.verdict = "pass";
  CHECK(can_diagnose(facts));
  facts.memory = "none";
  CHECK_FALSE(can_diagnose(facts));
}
