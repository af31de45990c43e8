#include "tests/landscape/made_up.hpp"
#include "tools/bench/landscape/omniscient.hpp"
#include "tools/bench/landscape/world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace kevolve;
using namespace kevolve::bench;

namespace {

uint32_t node_of(const world& w, const std::string& genome) {
  for (uint32_t i = 1; i < w.size(); ++i)
    if (w.at(i).genome == genome)
      return i;
  return 0;
}

bool holds(const std::vector<uint32_t>& all, uint32_t x) {
  return std::find(all.begin(), all.end(), x) != all.end();
}

} // namespace

TEST_CASE("a change adds, drops or replaces a move, or exchanges two") {
  CHECK(changes_between({1, 2, 3}, {1, 2, 3}, 3) == 0);
  CHECK(changes_between({1, 2}, {1, 2, 3}, 3) == 1);
  CHECK(changes_between({1, 2, 3}, {2, 3}, 3) == 1);
  CHECK(changes_between({1, 2, 3}, {1, 9, 3}, 3) == 1);
  CHECK(changes_between({1, 2, 3, 4}, {4, 2, 3, 1}, 3) == 1);
  CHECK(changes_between({1, 2, 3, 4}, {2, 1, 4, 3}, 3) > 1);
  CHECK(changes_between({1}, {2, 3, 4, 5}, 3) == 4);
  CHECK(changes_between({}, {1, 2, 3, 4, 5, 6}, 3) == 4);
}

TEST_CASE("a step reaches what differs by few changes, and what the recorder made of its parent") {
  auto made = made_up();
  put(made, step_kind::mutation, "v; w; x; y; z", 2.0);
  made.nodes.back().parents = {1};
  const world w{made};
  const auto a = node_of(w, "a");
  CHECK(holds(w.from(a)[0], node_of(w, "a; b")));
  CHECK(holds(w.from(a)[0], node_of(w, "b")));
  CHECK(holds(w.from(a)[1], node_of(w, "a; b; c")));
  CHECK_FALSE(holds(w.from(a)[0], node_of(w, "a; b; c")));
  CHECK(holds(w.from(1)[0], 32));
  CHECK(std::none_of(w.from(2).begin(), w.from(2).end(), [](const auto& some) { return holds(some, 32); }));
  CHECK(holds(w.from(0)[0], a));
  CHECK_FALSE(holds(w.from(0)[0], node_of(w, "a; b")));
}

TEST_CASE("a step from two candidates reaches what is made of the moves of both") {
  const world w{made_up()};
  const auto near = w.from(node_of(w, "a; b"), node_of(w, "c; d"));
  CHECK(holds(near[0], node_of(w, "a; c")));
  CHECK(holds(near[0], node_of(w, "a; b; c; d")));
  CHECK(holds(near[1], node_of(w, "a"))); // of one of them alone
  CHECK(holds(near[1], node_of(w, "a; c; e")));
  CHECK_FALSE(holds(near[0], node_of(w, "a; c; e")));
  for (const auto& some : near) {
    CHECK_FALSE(holds(some, node_of(w, "e")));
    CHECK_FALSE(holds(some, node_of(w, "a; b")));
  }
}

TEST_CASE("a measurement is drawn from the recorded pairs: the same by the same seed, and spread as they are") {
  const world quiet{made_up(0.0)};
  CHECK(quiet.measured(20, 1) == doctest::Approx(quiet.truth(20)));
  const world noisy{made_up(0.2)};
  std::set<double> seen;
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const auto x = noisy.measured(20, seed);
    CHECK(x == noisy.measured(20, seed));
    CHECK(x > 0.81 * noisy.truth(20));
    CHECK(x < 1.23 * noisy.truth(20));
    seen.insert(x);
  }
  CHECK(seen.size() > 2);
  CHECK(noisy.measured(0, 1) == 1.0);
}

TEST_CASE("the best is that of the second measurements, if there is one") {
  auto made = made_up();
  made.nodes[31].pairs = {{{9e6}, {1e6}}}; // by luck
  CHECK(world{made}.best() == doctest::Approx(9.0));
  made.nodes[31].again = {{{3e6}, {1e6}}};
  CHECK(world{made}.best() == doctest::Approx(3.0));
}

TEST_CASE("the omniscient choice leads over the slower of two parents, if only that leads to the goal") {
  auto made = made_up();
  made.nodes.resize(1);
  put(made, step_kind::draft, "a; b; c; d", 5.0); // fast, but nothing is near
  put(made, step_kind::draft, "p", 1.1);
  put(made, step_kind::mutation, "p; q; r; s; t; o", 3.0);
  made.nodes.back().parents = {2};
  put(made, step_kind::mutation, "u; v; w; x; y; z", 9.0);
  made.nodes.back().parents = {3};
  const world w{made};
  std::vector<bool> visited(w.size(), false);
  visited[1] = visited[2] = true;
  CHECK(omniscient_choice(w, {0, 1, 2}, visited, 8.0) == 2);
  visited[3] = true;
  CHECK(omniscient_choice(w, {0, 1, 2, 3}, visited, 8.0) == 3);
  visited[4] = true; // the goal cannot be drawn again
  CHECK_FALSE(omniscient_choice(w, {0, 1, 2, 3}, visited, 8.0));
}
