#include "actors/knowledge/skill_gate.hpp"
#include "actors/knowledge/skill_match.hpp"
#include "tests/support/skills.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace kevolve;
using namespace kevolve::test;

namespace {

const std::vector<std::string> here{"target:cpu", "language:c",      "family:reduction",
                                    "dtype:f32",  "hardware:x86-64", "hardware:zen3"};

skill_list list_of(const std::vector<skill>& skills) {
  skill_list out;
  for (const auto& s : skills)
    out.push_back(std::make_shared<const skill>(s));
  return out;
}

skill_index index_of(const std::vector<skill>& skills) {
  return skill_index::of(list_of(skills));
}

skill_situation wanting(std::vector<std::string> signals, uint64_t seed = 1) {
  skill_situation out;
  out.signals = std::move(signals);
  out.seed = seed;
  return out;
}

skill confirmed_skill(const std::string& moves, double gain) {
  return applied(a_skill(moves), an_application(gain, 3), 0);
}

} // namespace

TEST_CASE("a skill fits where target and language agree, and less where the family differs") {
  const auto s = a_skill();
  CHECK(relevance_of(s, here) == 1.0);
  CHECK(relevance_of(s, {"target:cuda", "language:c"}) == 0.0);
  CHECK(relevance_of(s, {"target:cpu", "language:triton"}) == 0.0);
  CHECK(relevance_of(s, {"target:cpu", "language:c", "family:softmax", "dtype:f32"}) == 0.5);
  CHECK(relevance_of(s, {"target:cpu", "language:c"}) == 1.0);
  auto narrowed = s;
  narrowed.not_for = {"family:reduction"};
  CHECK(relevance_of(narrowed, here) == 0.0);
}

TEST_CASE("a step is not given skills for programs of another stage") {
  auto scalar = a_skill("vectorise(_1,16)");
  auto vectors = a_skill("jam(_1,2)");
  vectors.conditions.pattern = "vectors; _1: outermost independent";
  auto any = a_skill("flags(O3)");
  any.conditions.pattern.clear();
  const auto with = [](std::vector<std::string> signals, const std::string& stage) {
    signals.push_back(stage);
    return signals;
  };
  CHECK(relevance_of(scalar, with(here, "stage:scalar")) == 1.0);
  CHECK(relevance_of(scalar, with(here, "stage:vectors")) == 0.0);
  CHECK(relevance_of(vectors, with(here, "stage:scalar")) == 0.0);
  CHECK(relevance_of(any, with(here, "stage:vectors")) == 1.0);
  CHECK(relevance_of(vectors, here) == 1.0); // nothing is known of the parent
  scalar.id = skill_id(scalar);
  vectors.id = skill_id(vectors);
  const auto all = index_of({scalar, vectors});
  CHECK(find_skills(all, wanting(here), {}).size() == 2);
  const auto found = find_skills(all, wanting(with(here, "stage:vectors")), {});
  REQUIRE(found.size() == 1);
  CHECK(found.front().step.moves == "jam(_1,2)");
}

TEST_CASE("a skill of other features or other hardware counts as a hypothesis") {
  auto s = confirmed_skill("vectorise(_1,16)", 0.3);
  REQUIRE(s.state == skill_state::confirmed);
  CHECK(state_here(s, here) == skill_state::confirmed);
  CHECK(state_here(s, {"target:cpu", "hardware:x86-64", "hardware:icelake"}) == skill_state::hypothesis);
  s.features = skill_features_version + 1;
  CHECK(state_here(s, here) == skill_state::hypothesis);
}

TEST_CASE("a step is given the confirmed skills by weight, and two trials") {
  std::vector<skill> all;
  for (int i = 1; i <= 9; ++i)
    all.push_back(confirmed_skill("tile(_1," + std::to_string(i) + ")", 0.1 * i));
  for (int i = 1; i <= 5; ++i)
    all.push_back(a_skill("jam(_1," + std::to_string(i) + ")"));
  const auto found = find_skills(index_of(all), wanting(here), {});
  REQUIRE(found.size() == 6);
  for (size_t i = 0; i < 4; ++i) {
    CHECK(found[i].step.moves == "tile(_1," + std::to_string(9 - i) + ")");
    CHECK(found[i].state == skill_state::confirmed);
  }
  CHECK(found[4].state == skill_state::hypothesis);
  CHECK(found[5].state == skill_state::hypothesis);
  CHECK(found[4].id != found[5].id);
  CHECK(found == find_skills(index_of(all), wanting(here), {}));
}

TEST_CASE("the seeds of a few steps give every hypothesis its trial") {
  std::vector<skill> all;
  for (int i = 1; i <= 8; ++i)
    all.push_back(a_skill("jam(_1," + std::to_string(i) + ")"));
  std::set<std::string> tried;
  for (uint64_t seed = 0; seed < 40; ++seed)
    for (const auto& s : find_skills(index_of(all), wanting(here, seed), {}))
      tried.insert(s.step.moves);
  CHECK(tried.size() == 8);
}

TEST_CASE("rejected and revoked skills, and the campaign's own, are not offered") {
  const auto rejected = applied(a_skill("jam(_1,2)"), an_application(-0.4, 3), 0);
  const auto gone = revoked(a_skill("jam(_1,3)"), "somebody", "", 0);
  const auto all = list_of({rejected, gone, a_skill("jam(_1,4)")});
  CHECK(find_skills(skill_index::of(all), wanting(here), {0, {1, 1}}).empty());
  const auto found = find_skills(skill_index::of(all), wanting(here), {0, {2, 2}});
  REQUIRE(found.size() == 1);
  CHECK(found.front().step.moves == "jam(_1,4)");
  CHECK(list_skills(all, {}, 0).size() == 3);
  skill_query q;
  q.state = "revoked";
  CHECK(list_skills(all, q, 0).size() == 1);
}
