#include "actors/knowledge/skill_turns.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace kevolve;

namespace {

constexpr double promising = 1.0;
constexpr uint64_t steps = 40;
constexpr uint64_t seeds = 50;

// Plays a campaign whose own steps and trials gain so much each, and returns the places of the trials, from 0.
std::vector<uint64_t> trials_of(double own_gain, double skill_gain, uint64_t seed, double promise = promising) {
  skill_turns turns;
  std::vector<uint64_t> out;
  for (uint64_t i = 0; i < steps; ++i) {
    const bool by_skill = is_skills_turn(turns, promise, 1'000 * seed + i);
    if (by_skill)
      out.push_back(i);
    turns.begin(by_skill, false);
    turns.end(by_skill, true, false, by_skill ? skill_gain : own_gain);
  }
  return out;
}

uint64_t count_over_seeds(double own_gain, double skill_gain, double promise = promising) {
  uint64_t out = 0;
  for (uint64_t seed = 1; seed <= seeds; ++seed)
    out += trials_of(own_gain, skill_gain, seed, promise).size();
  return out;
}

} // namespace

TEST_CASE("a promising skill is tried first, and the same seed decides alike") {
  uint64_t first = 0;
  for (uint64_t seed = 1; seed <= seeds; ++seed)
    first += is_skills_turn({}, promising, seed) ? 1U : 0U;
  CHECK(first >= 45);
  CHECK(trials_of(0.1, 0.1, 7) == trials_of(0.1, 0.1, 7));
}

TEST_CASE("skills that gain nothing yield: each trial in vain doubles the own steps before the next") {
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto at = trials_of(0.0, 0.0, seed);
    for (size_t i = 1; i < at.size(); ++i)
      CHECK(at[i] - at[i - 1] > (uint64_t{1} << i));
    CHECK(at.size() <= 5);
  }
}

TEST_CASE("a gain gives skills their next turn back, after one own step") {
  skill_turns turns;
  for (int i = 0; i < 3; ++i) {
    turns.begin(true, false);
    turns.end(true, true, false, 0.0);
  }
  CHECK(turns.in_vain == 3);
  turns.begin(true, false);
  turns.end(true, true, false, 3.0);
  CHECK(turns.in_vain == 0);
  CHECK_FALSE(is_skills_turn(turns, 10.0, 1));
  turns.begin(false, false);
  turns.end(false, false, false, 0.0);
  uint64_t taken = 0;
  for (uint64_t seed = 1; seed <= seeds; ++seed)
    taken += is_skills_turn(turns, promising, seed) ? 1U : 0U;
  CHECK(taken > seeds / 2);
}

TEST_CASE("the arm that gains more within the campaign gets more of its steps") {
  CHECK(count_over_seeds(0.0, 0.5) > 2 * count_over_seeds(0.5, 0.0));
  CHECK(count_over_seeds(0.5, 0.5) < count_over_seeds(0.0, 0.5));
}

TEST_CASE("a skill of small promise waits until own steps gain nothing") {
  CHECK(count_over_seeds(0.3, 0.0, 0.01) < count_over_seeds(0.3, 0.0, promising));
  CHECK(count_over_seeds(0.0, 0.0, 0.01) > 0);
}

TEST_CASE("a gain within the noise is none, and a large one counts for no more than a factor of two") {
  skill_turns turns;
  turns.begin(true, false);
  turns.end(true, true, false, 0.01);
  CHECK(turns.in_vain == 1);
  CHECK(turns.skills.gain == 0.0);
  turns.begin(false, false);
  turns.end(false, false, false, 3.0);
  CHECK(turns.own.gain == doctest::Approx(std::log(2.0)));
}

TEST_CASE("a trial whose candidate applied no skill was an own step, and so was its draft") {
  skill_turns turns;
  turns.begin(true, true);
  CHECK(turns.drafts == 1);
  turns.end(true, false, true, 0.4);
  CHECK(turns.drafts == 0);
  CHECK(turns.skills.steps == 0);
  CHECK(turns.own.steps == 1);
  CHECK(turns.own.gain == doctest::Approx(0.4));
  CHECK(turns.in_vain == 0);
}
