// Campaigns on figures that follow from the moves: a candidate's code is the list of its moves.
#include "tests/support/nest.hpp"
#include "tests/support/skills.hpp"
#include "tools/bench/skills/skill_campaign.hpp"

#include "backends/generators/transform/moves/registry.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

using namespace kevolve;
using namespace kevolve::bench;
using namespace kevolve::test;

namespace {

// Every kind of move counts once: some make a candidate faster, others slower.
class made_up_judge : public candidate_judge {
public:
  result<judged_candidate> measure(const proposal& what) override {
    ++asked;
    return judged_candidate{figure(what.genome), what.genome};
  }
  result<score> confirm(const std::string& code) override { return figure(code); }

  static score figure(const std::string& genome) {
    double speedup = 1.0;
    std::set<std::string> kinds;
    const auto moves = transform::parse_genome(genome).value();
    for (const auto& m : moves)
      if (kinds.insert(m.name).second)
        speedup *= m.name == "vectorise" ? 3.0
                   : m.name == "jam"     ? 1.5
                   : m.name == "flags"   ? 1.2
                   : m.name == "unroll"  ? 0.7
                                         : 0.97;
    score out;
    out.result = verdict::pass;
    out.set_speedup({speedup, 0.99 * speedup, 1.01 * speedup});
    return out;
  }

  uint64_t asked = 0;
};

campaign_ground ground_of(const nest& n) {
  return {context_of(n), {"target:cpu", "language:c", "dtype:f32", "hardware:x86-64"}};
}

campaign_plan plan_of(uint64_t seed, bool with_skills) {
  campaign_plan p;
  p.policy.drafts = 10;
  p.seed = seed;
  p.candidates = 40;
  p.with_skills = with_skills;
  p.id = {9, seed};
  return p;
}

skill_shelf earned_on(const char* name) {
  const auto n = load_nest(name);
  const auto ground = ground_of(n);
  skill_shelf out;
  for (uint64_t seed = 101; seed <= 102; ++seed) {
    made_up_judge judge;
    REQUIRE(run_campaign(ground, plan_of(seed, true), judge, out));
  }
  return out;
}

} // namespace

TEST_CASE("a campaign leaves skills behind, the way from the reference among them") {
  if (!have_clang())
    return;
  const auto shelf = earned_on("softmax");
  REQUIRE(shelf.size() >= 2);
  bool from_reference = false;
  for (const auto& s : shelf.skills()) {
    CHECK(!s->step.moves.empty());
    CHECK(s->applications.front().log_gain > 0.0);
    from_reference = from_reference || s->provenance.parent == 0;
  }
  CHECK(from_reference);
}

TEST_CASE("a skill of one operator is tried among the first candidates of another, and saves evaluations") {
  if (!have_clang())
    return;
  const auto shelf = earned_on("softmax");
  const auto n = load_nest("linear");
  const auto ground = ground_of(n);
  uint64_t with = 0;
  uint64_t without = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    for (const bool gets : {false, true}) {
      auto own = shelf;
      made_up_judge judge;
      auto p = plan_of(seed, gets);
      p.goal = 4.0; // vectors, and one more of the gains
      const auto done = run_campaign(ground, p, judge, own);
      REQUIRE(done);
      (gets ? with : without) += done->judged;
      CHECK((done->applied > 0) == gets);
      CHECK((done->given > 0) == gets);
      if (gets)
        CHECK(done->first_steps > 0);
    }
  }
  CHECK(with < without);
}

TEST_CASE("a campaign ends at its goal, else with its candidates") {
  if (!have_clang())
    return;
  const auto n = load_nest("linear");
  const auto ground = ground_of(n);
  skill_shelf shelf;
  made_up_judge judge;
  auto p = plan_of(3, false);
  p.goal = 1.15;
  const auto early = run_campaign(ground, p, judge, shelf).value();
  CHECK(early.best >= 1.15);
  CHECK(early.curve.back().first == early.judged);
  p.goal = 1e9;
  p.candidates = 12;
  const auto late = run_campaign(ground, p, judge, shelf).value();
  CHECK(late.judged == 12);
  CHECK(late.best < 1e9);
}

TEST_CASE("the same plan gives the same course") {
  if (!have_clang())
    return;
  const auto shelf = earned_on("softmax");
  const auto n = load_nest("linear");
  const auto ground = ground_of(n);
  std::vector<campaign_course> courses;
  for (int i = 0; i < 2; ++i) {
    auto own = shelf;
    made_up_judge judge;
    courses.push_back(run_campaign(ground, plan_of(7, true), judge, own).value());
  }
  CHECK(courses[0].curve == courses[1].curve);
  CHECK(courses[0].applied == courses[1].applied);
}

TEST_CASE("a skill that claims much and makes candidates slower is rejected within a campaign") {
  if (!have_clang())
    return;
  auto liar = a_skill("unroll(_1,2)");
  liar.applications.front().log_gain = 2.0;
  liar.conditions.pattern = "scalar; _1: innermost";
  liar.id = skill_id(liar);
  skill_shelf shelf;
  REQUIRE(shelf.add(liar, 0).empty());
  const auto n = load_nest("linear");
  const auto ground = ground_of(n);
  made_up_judge judge;
  const auto done = run_campaign(ground, plan_of(5, true), judge, shelf).value();
  CHECK(done.applied > 0);
  const auto all = shelf.skills();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& s) { return s->id == liar.id; });
  REQUIRE(found != all.end());
  CHECK((*found)->state == skill_state::rejected);
}
