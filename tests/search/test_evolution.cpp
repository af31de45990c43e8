#include "tests/search/landscapes.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>

using namespace kevolve;

namespace {

node_outcome passed(double fitness, behaviour_bins bins = {}) {
  node_outcome o{{{fitness, fitness, fitness}, verdict::pass, false}, false, true};
  o.behaviour = bins;
  return o;
}

uint64_t on_island(search_tree& t, uint16_t island, double fitness, behaviour_bins bins = {}) {
  const auto index = t.add({0}, node_origin{.island = island});
  t.finish(index, passed(fitness, bins));
  return index;
}

policy_options evolution(uint64_t islands) {
  policy_options o;
  o.policies = {{"evolution", 1.0}};
  o.memory = {{"parent", 1.0}};
  o.drafts = 0;
  o.evolution = {.islands = islands, .population = 4, .elites = 0.0, .crossover = 0.0, .migration = 0.0};
  return o;
}

size_t island_of(const search_tree& t, const policy_options& o, uint64_t index) {
  return t.index().islands(t.nodes(), o.evolution).home_of(index);
}

} // namespace

TEST_CASE("without migration every parent is of the island that the step is for") {
  auto o = evolution(3);
  o.drafts = 6;
  o.evolution.crossover = 0.5;
  o.evolution.elites = 0.3;
  o.evolution.reseed_after = 1'000'000;
  auto crossed = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const auto p = play(rugged(seed, 3), o, seed, 200, 8);
    for (size_t i = 40; i < p.selections.size(); ++i) // every island has a population by then
      if (const auto& s = p.selections[i]; !s.draft && s.parents.front() != 0)
        for (const auto parent : s.parents) {
          CHECK(island_of(p.tree, o, parent) == island_of(p.tree, o, i + 1));
          crossed += parent != s.parents.front() ? 1 : 0;
        }
  }
  CHECK(crossed > 150);
}

TEST_CASE("migration takes parents from the island before, in its share of the steps") {
  search_tree t;
  auto o = evolution(3);
  for (uint16_t island = 1; island <= 3; ++island)
    for (int i = 0; i < 4; ++i)
      on_island(t, island, 1.5 + 0.1 * island);
  o.evolution.migration = 0.25;
  auto migrated = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const auto s = select(t, o, seed);
    CHECK(s.statistics.at("island") == 1.0); // all have as many candidates
    const auto from = island_of(t, o, s.parents.front());
    CHECK((from == 0 || from == 2));
    CHECK(s.statistics.contains("migrates_from") == (from == 2));
    migrated += from == 2 ? 1 : 0;
  }
  CHECK(std::abs(migrated - 250) < 60);
}

TEST_CASE("each step is for the island with the fewest candidates begun") {
  const auto p = play(rugged(3, 3), evolution(4), 3, 80, 16);
  std::map<size_t, int> begun;
  for (uint64_t i = 1; i < p.tree.size(); ++i)
    ++begun[island_of(p.tree, evolution(4), i)];
  CHECK(begun == std::map<size_t, int>{{0, 20}, {1, 20}, {2, 20}, {3, 20}});
}

TEST_CASE("the weakest island begins anew from an elite of another once its best is old") {
  search_tree t;
  auto o = evolution(2);
  o.evolution.reseed_after = 10;
  const auto strong = on_island(t, 2, 3.0);
  for (int i = 0; i < 20; ++i)
    on_island(t, 2, 2.0);
  on_island(t, 1, 1.5);
  for (int i = 0; i < 9; ++i)
    on_island(t, 1, 1.2);
  CHECK_FALSE(select(t, o, 1).statistics.contains("founds"));
  on_island(t, 1, 1.2);
  const auto s = select(t, o, 1);
  CHECK(s.statistics.contains("founds"));
  CHECK(s.parents.front() == strong); // all are of one cell, and that is its elite
  const auto founder = add(t, s);
  const auto& island = t.index().islands(t.nodes(), o.evolution).at(0, t.nodes());
  CHECK(island.began_with == founder);
  CHECK(island.population.empty());
  CHECK(select(t, o, 2).parents.front() == strong); // until the founder has ended
  t.finish(founder, passed(2.5));
  CHECK(select(t, o, 2).parents.front() == founder);
}

TEST_CASE("a cell's fittest is a parent, however slow beside the population") {
  search_tree t;
  auto o = evolution(1);
  for (int i = 0; i < 10; ++i)
    on_island(t, 1, 2.0 + 0.1 * i, {1, 1, 1, 0});
  const auto unlike = on_island(t, 1, 1.1, {4, 1, 1, 0});
  const auto chosen = [&] {
    auto count = 0;
    for (uint64_t seed = 0; seed < 400; ++seed)
      count += select(t, o, seed).parents.front() == unlike ? 1 : 0;
    return count;
  };
  CHECK(chosen() == 0);
  o.evolution.elites = 1.0;
  CHECK(std::abs(chosen() - 200) < 50);
}

TEST_CASE("cells tell candidates apart by the chosen axes alone") {
  search_tree t;
  const auto fast = on_island(t, 1, 2.0, {1, 1, 1, 0});
  const auto longer = on_island(t, 1, 1.5, {1, 4, 1, 0});
  const auto wide = on_island(t, 1, 1.2, {4, 1, 1, 0});
  auto o = evolution(1);
  o.evolution.elites = 1.0;
  const auto elites = [&](const axis_set& axes) {
    o.evolution.axes = axes;
    std::set<uint64_t> chosen;
    for (uint64_t seed = 0; seed < 100; ++seed) {
      const auto s = select(t, o, seed);
      CHECK(s.parents == select(t, o, seed).parents);
      chosen.insert(s.parents.front());
    }
    const auto& cells = t.index().islands(t.nodes(), o.evolution).at(0, t.nodes()).cells;
    CHECK(cells.size() == chosen.size());
    return chosen;
  };
  CHECK(elites(all_axes) == std::set<uint64_t>{fast, longer, wide});
  CHECK(elites({true, false, false, false}) == std::set<uint64_t>{fast, wide});
  CHECK(elites({false, true, false, false}) == std::set<uint64_t>{fast, longer});
  CHECK(elites({false, false, true, false}) == std::set<uint64_t>{fast});
  // A profile moves a candidate to another cell only where its axis counts.
  CHECK(t.characterise(longer, 3, 2));
  CHECK(elites({false, false, true, false}) == std::set<uint64_t>{fast});
  CHECK(elites({false, false, true, true}) == std::set<uint64_t>{fast, longer});
  CHECK(t.characterise(wide, 3, 2));
  CHECK(elites({false, false, true, true}) == std::set<uint64_t>{fast, longer});
  CHECK(t.characterise(longer, 3, 1));
  CHECK(elites({false, false, true, true}) == std::set<uint64_t>{fast, longer, wide});
}

TEST_CASE("a tournament and a choice by rank prefer the fitter, each to its degree") {
  search_tree t;
  auto o = evolution(1);
  std::vector<uint64_t> by_rank;
  for (int i = 0; i < 4; ++i)
    by_rank.insert(by_rank.begin(), on_island(t, 1, 2.0 + i));
  on_island(t, 1, 1.5); // outside of the population
  const auto counts = [&] {
    std::map<uint64_t, int> out;
    for (uint64_t seed = 0; seed < 4000; ++seed)
      ++out[select(t, o, seed).parents.front()];
    return out;
  };
  // The k-th of four wins among three entrants with the probability ((5-k)^3 - (4-k)^3) / 64.
  auto seen = counts();
  CHECK(seen.size() == 4);
  CHECK(std::abs(seen[by_rank[0]] - 4000 * 37 / 64) < 150);
  CHECK(std::abs(seen[by_rank[3]] - 4000 * 1 / 64) < 40);
  // The density 2 (1 - x) over the ranks gives 7, 5, 3 and 1 of 16.
  o.evolution.parents = parent_choice::rank;
  seen = counts();
  CHECK(std::abs(seen[by_rank[0]] - 1750) < 150);
  CHECK(std::abs(seen[by_rank[3]] - 250) < 70);
}

TEST_CASE("beam improves each of its members in turn, those in flight counted") {
  search_tree t;
  for (int i = 0; i < 6; ++i)
    on_island(t, 0, 1.5 + 0.1 * i);
  policy_options o;
  o.policies = {{"beam", 1.0}};
  o.memory = {{"parent", 1.0}};
  o.drafts = 0;
  o.combine = 0.0;
  o.beam_width = 3;
  std::vector<uint64_t> parents;
  for (int i = 0; i < 7; ++i) {
    const auto s = select(t, o, 1);
    parents.push_back(s.parents.front());
    add(t, s);
  }
  CHECK(parents == std::vector<uint64_t>{6, 5, 4, 6, 5, 4, 6});
}

TEST_CASE("greedy turns to another of the fittest only for steps in flight, and in older campaigns never") {
  search_tree t;
  on_island(t, 0, 2.0);
  on_island(t, 0, 1.99);
  policy_options o;
  o.policies = {{"greedy", 1.0}};
  o.memory = {{"parent", 1.0}};
  o.drafts = 0;
  o.combine = 0.0;
  CHECK(select(t, o, 1).parents.front() == 1);
  const auto under_way = t.add({1}, false);
  CHECK(select(t, o, 1).parents.front() == 2);
  o.spreads = false;
  CHECK(select(t, o, 1).parents.front() == 1);
  o.spreads = true;
  t.finish(under_way, {{{0.0, 0.0, 0.0}, verdict::wrong_result, false}, false, false});
  CHECK(select(t, o, 1).parents.front() == 1);
}

TEST_CASE("uct follows priors where children have them") {
  search_tree t;
  policy_options o;
  o.policies = {{"uct", 1.0}};
  o.memory = {{"parent", 1.0}};
  o.drafts = 0;
  o.combine = 0.0;
  o.widening = 0.1;
  for (int i = 0; i < 3; ++i) {
    auto outcome = passed(2.0);
    outcome.prior = i == 1 ? 4.0F : 1.0F;
    t.finish(t.add({0}, false), outcome);
  }
  // Alike but for the prior: the likely one until its visits outweigh that.
  CHECK(select(t, o, 1).parents.front() == 2);
  const auto bound = 1.0 + 4.0 / 6.0 * std::sqrt(4.0) / 2.0; // q + c*P*sqrt(N)/(1+n)
  CHECK(select(t, o, 1).statistics.at("score") == doctest::Approx(bound));
  for (int i = 0; i < 8; ++i)
    t.finish(t.add({2}, false), passed(1.0));
  CHECK(select(t, o, 1).parents.front() == 1);
}
