// The policies on synthetic landscapes. Each assertion holds for every one of several seeds, and each seed's figure is
// the mean of a dozen landscapes.
#include "runtime/base/kinds.hpp"
#include "tests/search/landscapes.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace kevolve;

namespace {

constexpr uint64_t seeds[] = {1, 2, 3, 4, 5, 6};

landscape slightly_rugged(uint64_t seed) {
  return rugged(seed, 2);
}
landscape very_rugged(uint64_t seed) {
  return rugged(seed, 5);
}

} // namespace

TEST_CASE("the same seed plays the same campaign under every policy and their mixture, and another seed another") {
  auto mixture = alone("greedy");
  mixture.policies.clear();
  for (const auto& name : policy_names())
    mixture.policies[name] = 1.0;
  auto all = std::vector<policy_options>{mixture};
  for (const auto& name : policy_names())
    all.push_back(alone(name));
  for (const auto& o : all) {
    const auto a = play(rugged(1, 4), o, 5, 150, 8);
    const auto b = play(rugged(1, 4), o, 5, 150, 8);
    CHECK(a.tree.hash() == b.tree.hash());
    CHECK(a.candidates == b.candidates);
    CHECK(play(rugged(1, 4), o, 6, 150, 8).candidates != a.candidates);
  }
  std::set<std::string> used;
  for (const auto& s : play(rugged(1, 4), mixture, 5, 150, 8).selections)
    used.insert(s.policy);
  CHECK(used.size() == policy_names().size() + 1); // and the drafts
}

TEST_CASE("beam, evolution, adaptive and greedy beat random parents on rugged landscapes") {
  for (const auto seed : seeds)
    for (const auto& kind : {slightly_rugged, very_rugged}) {
      INFO("seed ", seed);
      const auto by_chance = mean_best(kind, alone("random"), seed, 300);
      for (const auto* name : {"beam", "evolution", "adaptive", "greedy"}) {
        INFO(name);
        CHECK(mean_best(kind, alone(name), seed, 300) > 1.15 * by_chance);
      }
    }
}

TEST_CASE("beam, evolution and adaptive cross a plateau that greedy does not") {
  for (const auto seed : seeds) {
    INFO("seed ", seed);
    const auto greedy = mean_best(plateau, alone("greedy"), seed, 400);
    for (const auto* name : {"beam", "evolution", "adaptive"}) {
      INFO(name);
      CHECK(mean_best(plateau, alone(name), seed, 400) > 1.05 * greedy);
    }
  }
}

TEST_CASE("cells lead out of traps in which a narrow search stays") {
  for (const auto seed : seeds) {
    INFO("seed ", seed);
    auto o = alone("evolution");
    CHECK(mean_best(deceptive, o, seed, 800) > mean_best(deceptive, alone("greedy"), seed, 800));
  }
}

TEST_CASE("adaptive climbs a single peak almost as well as greedy") {
  for (const auto seed : seeds)
    CHECK(mean_best(single_peak, alone("adaptive"), seed, 300)
          > 0.96 * mean_best(single_peak, alone("greedy"), seed, 300));
}

TEST_CASE("sixteen steps in flight reach 0.97 of one in flight at equal evaluations") {
  for (const auto* name : {"evolution", "adaptive", "beam", "greedy", "uct", "random"}) {
    auto ratio = 0.0;
    for (const auto seed : seeds)
      for (const auto& kind : {slightly_rugged, very_rugged})
        ratio += mean_best(kind, alone(name), seed, 800, 16) / mean_best(kind, alone(name), seed, 800, 1);
    ratio /= 2.0 * static_cast<double>(std::size(seeds));
    INFO(name, " ", ratio);
    CHECK(ratio >= 0.97);
  }
}

TEST_CASE("no step waits for another: as many as may be are in flight until the last begins") {
  const auto p = play(rugged(2, 3), alone("evolution"), 2, 200, 16);
  CHECK(p.tree.in_flight() == 0);
  CHECK(p.best_after.size() == 200);
  // Selections were made while other islands' and earlier steps were under way.
  std::set<double> islands;
  for (const auto& s : p.selections)
    if (s.statistics.contains("island"))
      islands.insert(s.statistics.at("island"));
  CHECK(islands.size() == 2);
}
