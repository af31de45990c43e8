#include "actors/knowledge/skill_distil.hpp"
#include "actors/knowledge/skill_gate.hpp"
#include "actors/knowledge/skill_text.hpp"
#include "tests/support/skills.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::test;

TEST_CASE("the step between two sources is the lines that differ, with a line around them") {
  const std::string before = "one\ntwo\nthree\nfour\nfive\n";
  const std::string after = "one\ntwo\n3\n3.5\nfour\nfive\n";
  const auto step = text_step("says it in figures", before, after);
  REQUIRE(step);
  CHECK(step->before == "two\nthree\nfour\n");
  CHECK(step->after == "two\n3\n3.5\nfour\n");
  CHECK(step->words == "says it in figures");
  CHECK(step->moves.empty());
  CHECK(!text_step("", before, before));
  std::string much;
  for (int i = 0; i < 100; ++i)
    much += "line " + std::to_string(i) + "\n";
  CHECK(!text_step("", before, much));
  CHECK(text_step("", "", "one\n")->after == "one\n");
}

TEST_CASE("conditions follow from signals, and the same gain gives the same skill") {
  const std::vector<std::string> signals{"target:cpu",          "language:c",    "target:c",
                                         "hardware:x86-64",     "hardware:zen3", "family:matmul",
                                         "bound:latency_chain", "dtype:f32"};
  const auto c = conditions_of(signals, "scalar; _1: innermost");
  CHECK(c.target == "cpu");
  CHECK(c.language == "c");
  CHECK(c.families == std::vector<std::string>{"matmul"});
  CHECK(c.hardware == std::vector<std::string>{"x86-64", "zen3"});
  CHECK(c.bound == "latency_chain");
  CHECK(narrowing_signals(signals)
        == std::vector<std::string>{"family:matmul", "dtype:f32", "hardware:x86-64", "hardware:zen3",
                                    "bound:latency_chain"});
  skill_step step;
  step.moves = "jam(_1,2)";
  const auto s = distilled_skill(c, step, {{1, 1}, "first", "gemm", 0, 4, "distilled"}, an_application(0.2, 4));
  CHECK(s == distilled_skill(c, step, {{1, 1}, "first", "gemm", 0, 4, "distilled"}, an_application(0.2, 4)));
  CHECK(s.state == skill_state::hypothesis);
  CHECK(s.applications.front().is_origin);
  CHECK(refusal_of(s).empty());
  CHECK(offered_name(s.id) == "skill " + to_string(s.id).substr(0, 8));
}

TEST_CASE("an imported skill is a hypothesis whose applications decide nothing here") {
  auto foreign = applied(a_skill(), an_application(0.5, 3), 0);
  REQUIRE(foreign.state == skill_state::confirmed);
  foreign.applications.back().time_ns = 1'000;
  const auto s = as_imported(foreign, 500);
  CHECK(s.id == foreign.id);
  CHECK(s.state == skill_state::hypothesis);
  CHECK(s.applications.back().time_ns == 500);
  CHECK(judged_anew(s, 600).state == skill_state::hypothesis);
  auto here = an_application(-0.4, 8);
  here.campaign = {7, 7};
  CHECK(applied(s, here, 600).state == skill_state::rejected);
}

TEST_CASE("one measurement of this node outweighs all that an imported skill claims") {
  auto liar = a_skill();
  for (uint64_t i = 0; i < 50; ++i)
    liar.applications.push_back(an_application(3.0, 100 + i));
  const auto s = as_imported(liar, 0);
  CHECK(posterior_of(s, 0).mean > 1.0); // a promise, to be tried
  auto here = an_application(0.0, 8);
  here.campaign = {7, 7};
  CHECK(posterior_of(applied(s, here, 0), 0).mean < 0.4);
}

TEST_CASE("two records of a skill are merged without counting an application twice") {
  const auto a = applied(a_skill(), an_application(0.5, 3), 0);
  const auto b = applied(applied(a_skill(), an_application(0.5, 3), 0), an_application(0.1, 4), 0);
  CHECK(merged(a, b).applications.size() == 3);
  CHECK(merged(b, a) == b);
}
