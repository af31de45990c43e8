#include "backends/profile/bound_class.hpp"
#include "tests/landscape/made_up.hpp"
#include "tools/bench/landscape/player.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace kevolve;
using namespace kevolve::bench;

namespace {

play_options by(const std::string& policy, uint64_t seed) {
  play_options o;
  o.policy.policies = {{policy, 1.0}};
  o.policy.drafts = 3;
  o.seed = seed;
  o.budget = 20;
  return o;
}

double mean_evaluations(const world& on, play_options o) {
  auto sum = 0.0;
  constexpr uint64_t seeds = 40;
  for (o.seed = 1; o.seed <= seeds; ++o.seed)
    sum += static_cast<double>(play(on, o).evaluations.value_or(o.budget));
  return sum / seeds;
}

} // namespace

TEST_CASE("the same seed plays the same campaign under every policy, and another seed another") {
  const world on{made_up(0.1)};
  for (const auto& policy : policy_names()) {
    INFO(policy);
    const auto a = play(on, by(policy, 1));
    const auto b = play(on, by(policy, 1));
    CHECK(a.tree.hash() == b.tree.hash());
    CHECK(a.candidates == b.candidates);
    CHECK(a.seconds == b.seconds);
    CHECK(play(on, by(policy, 2)).candidates != a.candidates);
  }
}

TEST_CASE("policies of one seed share their first drafts and the drafts' figures") {
  const world on{made_up(0.1)};
  const auto a = play(on, by("greedy", 5));
  const auto b = play(on, by("random", 5));
  for (uint64_t i = 1; i <= 3; ++i) {
    CHECK(a.candidates[i] == b.candidates[i]);
    CHECK(a.tree.at(i).speedup == b.tree.at(i).speedup);
  }
  CHECK(play(on, by("greedy", 6)).candidates[1] + play(on, by("greedy", 7)).candidates[1]
            + play(on, by("greedy", 8)).candidates[1]
        != 3 * a.candidates[1]);
}

TEST_CASE("with move priorities, a step against what bounds its parent is drawn more often") {
  // Two candidates bound by a chain; a child of each adds a move against it, and nine others one that is none.
  auto record = made_up();
  record.nodes.resize(1);
  put(record, step_kind::draft, "tile(L0,8)", 1.1);
  put(record, step_kind::draft, "tile(L0,16)", 1.1);
  for (const auto* parent : {"tile(L0,8)", "tile(L0,16)"}) {
    put(record, step_kind::mutation, std::string{parent} + "; unroll(L0,4)", 2.0);
    for (int i = 0; i < 9; ++i)
      put(record, step_kind::mutation, std::string{parent} + "; stream(L" + std::to_string(i) + ")", 1.0);
  }
  for (auto& n : record.nodes)
    n.features["bound"] = static_cast<double>(bound_class::latency_chain);
  const world on{record};
  CHECK(on.acts_on_bound(3, 1));
  CHECK_FALSE(on.acts_on_bound(4, 1));
  auto plain = by("greedy", 1);
  plain.policy.drafts = 2;
  auto emphasised = plain;
  emphasised.move_factor = 8.0;
  CHECK(mean_evaluations(on, emphasised) < mean_evaluations(on, plain));
  for (auto& n : record.nodes)
    n.features.clear(); // a record that tells nothing plays as before
  const world silent{record};
  CHECK(play(silent, emphasised).candidates == play(silent, plain).candidates);
}

TEST_CASE("no candidate is proposed twice, unless novelty is off") {
  const world on{made_up()};
  const auto distinct = [](const played_campaign& p) {
    return std::set<uint32_t>(p.candidates.begin(), p.candidates.end()).size();
  };
  auto o = by("random", 3);
  auto p = play(on, o);
  CHECK(distinct(p) == p.candidates.size());
  o.novelty = false;
  p = play(on, o);
  CHECK(distinct(p) < p.candidates.size());
  CHECK(p.best_after.size() == o.budget);
}

TEST_CASE("a step is lacking if the record has nothing within reach, and is no evaluation") {
  auto made = made_up();
  made.nodes.resize(1);
  for (const auto* genome : {"a", "b", "c", "d", "e"})
    put(made, step_kind::draft, std::string{genome} + "; 1" + genome + "; 2" + genome + "; 3" + genome, 2.0);
  put(made, step_kind::mutation, "a; 1a; 2a; 3a; 4a", 3.0);
  made.nodes.back().parents = {1};
  const world on{made};
  auto o = by("random", 1);
  o.policy.drafts = 5;
  o.policy.memory = {{"parent", 1.0}};
  o.policy.combine = 0.0;
  const auto p = play(on, o);
  CHECK(p.best_after.size() <= 1); // of the one candidate that is no draft
  CHECK(p.lacking > 0);
  CHECK(p.steps == p.lacking + p.best_after.size());
  CHECK(play(world{made_up()}, by("random", 1)).lacking == 0);
}

TEST_CASE("the budget is spent on evaluations after the drafts, and the goal counts from there") {
  const world on{made_up()};
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const auto p = play(on, by("greedy", seed));
    CHECK(p.best_after.size() == 20);
    CHECK(p.tree.finished() == 23);
    REQUIRE(p.evaluations);
    const auto at = *p.evaluations;
    REQUIRE(at >= 1);
    CHECK(p.best_after[at - 1] >= 0.95 * on.best());
    CHECK((at == 1 || p.best_after[at - 2] < 0.95 * on.best()));
  }
  auto o = by("greedy", 1);
  o.share = 0.3; // a draft is there
  CHECK(play(on, o).evaluations == std::optional<uint64_t>{0});
}

TEST_CASE("a policy that climbs needs fewer evaluations than random parents, and the omniscient one the fewest") {
  const world on{made_up(0.02)};
  auto all = by("greedy", 1);
  all.omniscient = true;
  const auto floor = mean_evaluations(on, all);
  const auto greedy = mean_evaluations(on, by("greedy", 1));
  const auto random = mean_evaluations(on, by("random", 1));
  CHECK(floor < greedy);
  CHECK(greedy < random);
}

TEST_CASE("the clock has one judge: more steps in flight hide compiles and no measurement") {
  const world on{made_up()};
  auto o = by("random", 1);
  const auto one = play(on, o);
  CHECK(one.judge_s == doctest::Approx(23.0));
  CHECK(one.seconds == doctest::Approx(23.0 * 1.5));
  o.in_flight = 8;
  const auto eight = play(on, o);
  CHECK(eight.judge_s == doctest::Approx(23.0));
  CHECK(eight.seconds == doctest::Approx(23.5));
  CHECK(eight.tree.in_flight() == 0);
}

TEST_CASE("the same machine code is measured once") {
  auto made = made_up(0.2);
  for (uint32_t i = 7; i < made.nodes.size(); ++i)
    made.nodes[i].same_as = 6;
  const world on{made};
  const auto p = play(on, by("random", 1));
  CHECK(p.judge_s <= 7.0);
  std::set<double> figures;
  for (const auto& n : p.tree.nodes())
    if (p.candidates[n.index] >= 6)
      figures.insert(n.speedup);
  CHECK(figures.size() == 1);
}
