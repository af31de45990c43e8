// The choice of the skills that a step is given, and what the fold of a campaign keeps of it.
#include "actors/campaign/skill_choice.hpp"
#include "actors/knowledge/skill_distil.hpp"
#include "runtime/base/codec.hpp"
#include "tests/support/skills.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace kevolve;
using namespace kevolve::test;

namespace {

const std::vector<std::string> here{"target:cpu", "language:c", "family:reduction", "dtype:f32", "hardware:zen3"};

skill_index all_of(std::initializer_list<const char*> moves) {
  skill_list all;
  for (const auto* m : moves) {
    auto s = a_skill(m);
    s.applications.front().log_gain = 2.0;
    all.push_back(std::make_shared<const skill>(s));
  }
  return skill_index::of(all);
}

selection_record selected(const campaign_fold& f, const skill_index& all, uint64_t parent, bool moves = true) {
  selection s;
  s.parents = {parent};
  s.memory = parent == 0 ? "none" : "parent";
  s.draft = parent == 0;
  s.draft_index = f.drafts;
  auto r = record_of(std::move(s), f.tree.size(), 17);
  choose_skills(r, f, all, here, moves, {1, {7, 7}});
  return r;
}

node_record ended(const selection_record& r, double speedup, bool applied) {
  node_record n;
  n.index = r.index;
  n.parents = r.parents;
  n.result = verdict::pass;
  n.confirmed = true;
  n.set_speedup({speedup, 0.99 * speedup, 1.01 * speedup});
  n.proposal.genome = "genome " + std::to_string(r.index);
  n.proposal.summary = applied ? "applies " + offered_name(r.skills.front().id) : "first draft";
  return n;
}

} // namespace

TEST_CASE("a step is given skills only in their turn, and its record says how that was decided") {
  const auto all = all_of({"vectorise(_1,16)", "jam(_1,2)"});
  campaign_fold f;
  const auto first = selected(f, all, 0);
  REQUIRE_FALSE(first.skills.empty());
  CHECK(first.statistics.at("skill_turn") == 1.0);
  CHECK(first.statistics.at("skill_promise") > 0.0);
  REQUIRE(fold_selected(f, first));
  CHECK(f.turns.skills.steps == 1);
  REQUIRE(fold_finished(f, ended(first, 0.5, true)));
  CHECK(f.turns.in_vain == 1);
  const auto second = selected(f, all, 0); // skills have just had their turn, in vain
  CHECK(second.skills.empty());
  CHECK(second.statistics.at("skill_turn") == 0.0);
  REQUIRE(fold_selected(f, second));
  CHECK(f.turns.own.steps == 1);
  CHECK(f.turns.own_since == 1);
}

TEST_CASE("no skill is tried from a candidate while another such trial has no proposal yet") {
  const auto all = all_of({"vectorise(_1,16)"});
  campaign_fold f;
  const auto first = selected(f, all, 0);
  REQUIRE_FALSE(first.skills.empty());
  REQUIRE(fold_selected(f, first));
  f.turns = {}; // the competition alone would give skills this turn again
  CHECK(selected(f, all, 0).skills.empty());
  f.genomes.set(first.index, 5);
  f.summaries.set(first.index, "applies a skill");
  CHECK_FALSE(selected(f, all, 0).skills.empty()); // its step is known now, and is not proposed again
}

TEST_CASE("a draft of a skill takes no turn of the generator's own ideas") {
  const auto all = all_of({"vectorise(_1,16)"});
  campaign_fold f;
  const auto first = selected(f, all, 0);
  REQUIRE_FALSE(first.skills.empty());
  REQUIRE(fold_selected(f, first));
  REQUIRE(fold_finished(f, ended(first, 2.0, true)));
  const auto own = selected(f, all, 0);
  REQUIRE(own.skills.empty());
  CHECK(own.statistics.at("draft_index") == 0.0);
  CHECK(selected(f, all, 0, false).statistics.at("draft_index") == 1.0); // a model's
}

TEST_CASE("gains of the competition are those over the champion, and others yield nothing") {
  const auto all = all_of({"vectorise(_1,16)"});
  campaign_fold f;
  const auto first = selected(f, all, 0);
  REQUIRE(fold_selected(f, first));
  REQUIRE(fold_finished(f, ended(first, 1.5, true)));
  CHECK(f.turns.skills.gain == doctest::Approx(std::log(1.5)));
  champion_record c;
  c.index = first.index;
  c.set_speedup({1.5, 1.49, 1.51});
  fold_champion_changed(f, c);
  const auto second = selected(f, all, 0);
  REQUIRE(fold_selected(f, second));
  REQUIRE(fold_finished(f, ended(second, 1.4, false)));
  CHECK(f.turns.own.gain == 0.0);
}

TEST_CASE("candidates that failed, and two parents, are given no skill that moves could apply") {
  const auto all = all_of({"vectorise(_1,16)"});
  campaign_fold f;
  auto first = selected(f, {}, 0);
  REQUIRE(fold_selected(f, first));
  auto wrong = ended(first, 1.0, false);
  wrong.result = verdict::wrong_result;
  REQUIRE(fold_finished(f, wrong));
  const auto repair = selected(f, all, first.index);
  CHECK(repair.skills.empty());
  CHECK_FALSE(repair.statistics.contains("skill_turn"));
  CHECK_FALSE(selected(f, all, first.index, false).skills.empty()); // a model reads them
}

TEST_CASE("a fold of the records keeps the same competition") {
  const auto all = all_of({"vectorise(_1,16)"});
  campaign_fold live;
  campaign_fold again;
  for (int i = 0; i < 4; ++i) {
    auto r = selected(live, all, 0);
    REQUIRE(fold_selected(live, r));
    const auto stored = decode_older<selection_record>(encode(r));
    REQUIRE(stored);
    REQUIRE(fold_selected(again, *stored));
    const auto n = ended(r, 1.0 + i, !r.skills.empty());
    REQUIRE(fold_finished(live, n));
    REQUIRE(fold_finished(again, n));
  }
  CHECK(again.turns.skills.steps == live.turns.skills.steps);
  CHECK(again.turns.own.steps == live.turns.own.steps);
  CHECK(again.turns.skills.gain == live.turns.skills.gain);
  CHECK(again.turns.in_vain == live.turns.in_vain);
  CHECK(again.turns.own_since == live.turns.own_since);
  CHECK(live.turns.skills.steps >= 1);
}
