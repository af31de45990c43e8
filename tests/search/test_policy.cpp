#include "actors/search/policy.hpp"
#include "runtime/base/kinds.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>

using namespace kevolve;

namespace {

node_outcome passed(double fitness) {
  return {{{fitness, fitness, fitness}, verdict::pass, false}, false, true};
}

// Returns one policy without drafts and without a second parent.
policy_options only(const std::string& policy) {
  policy_options o;
  o.policies = {{policy, 1.0}};
  o.memory = {{"parent", 1.0}};
  o.drafts = 0;
  o.combine = 0.0;
  return o;
}

// Returns a root with finished children of these fitnesses; 0 stands for a wrong result.
search_tree star(const std::vector<double>& fitnesses) {
  search_tree t;
  for (auto f : fitnesses) {
    auto i = t.add({0}, true);
    t.finish(i, f > 0.0 ? passed(f) : node_outcome{{{}, verdict::wrong_result, false}, false});
  }
  return t;
}

void exhaust(search_tree& t, uint64_t parent) {
  for (int i = 0; i < 3; ++i)
    t.finish(t.add({parent}, false), {});
}

uint64_t chosen(const search_tree& t, const policy_options& o, uint64_t seed = 1) {
  return select(t, o, seed).parents.front();
}

} // namespace

TEST_CASE("the policies are those that campaign files may name, each with its settings and a line for people") {
  std::set<std::string> named;
  for (const auto& name : policy_kind_names())
    named.insert(name);
  std::set<std::string> built;
  for (const auto& p : selection_policies()) {
    CHECK(built.insert(std::string{p->name()}).second);
    CHECK(p->description().size() > 20);
    for (const auto setting : p->settings())
      CHECK_FALSE(setting.empty());
  }
  CHECK(built == named);
}

TEST_CASE("the first candidates are drafts from the root, numbered") {
  policy_options o;
  o.drafts = 3;
  search_tree t;
  for (uint64_t i = 0; i < 3; ++i) {
    auto s = select(t, o, i);
    CHECK(s.draft);
    CHECK(s.policy == "draft");
    CHECK(s.parents == std::vector<uint64_t>{0});
    CHECK(s.draft_index == i);
    CHECK(s.statistics.at("draft_index") == static_cast<double>(i));
    t.add(s.parents, s.draft);
  }
  CHECK(!select(t, o, 1).draft);
}

TEST_CASE("a selection is a function of the tree and the seed") {
  auto t = star({1.5, 3.0, 0.0, 2.0});
  policy_options o;
  o.drafts = 0;
  o.policies = {{"uct", 0.4}, {"greedy", 0.3}, {"random", 0.3}};
  o.combine = 0.5;
  std::set<std::string> outcomes;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    auto a = select(t, o, seed);
    auto b = select(t, o, seed);
    CHECK(a.parents == b.parents);
    CHECK(a.policy == b.policy);
    CHECK(a.memory == b.memory);
    CHECK(a.statistics == b.statistics);
    outcomes.insert(a.policy + a.memory + std::to_string(a.parents.front()));
  }
  CHECK(outcomes.size() > 10);
}

TEST_CASE("policies and memory operators occur in proportion to their weights") {
  auto t = star({1.5, 3.0});
  policy_options o;
  o.drafts = 0;
  o.policies = {{"greedy", 0.75}, {"random", 0.25}, {"uct", 0.0}, {"annealing", 5.0}}; // the last is no policy
  o.memory = {{"parent", 0.5}, {"siblings", 0.25}, {"both", 0.25}, {"none", 0.0}};
  std::map<std::string, int> policies;
  std::map<std::string, int> memory;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    auto s = select(t, o, seed);
    ++policies[s.policy];
    ++memory[s.memory];
  }
  CHECK(policies.size() == 2);
  CHECK(std::abs(policies["greedy"] - 3000) < 150);
  CHECK(memory.size() == 3);
  CHECK(std::abs(memory["parent"] - 2000) < 150);
}

TEST_CASE("greedy improves the fittest, or the root if nothing beats it") {
  CHECK(chosen(star({1.5, 3.0, 0.0, 2.0}), only("greedy")) == 2);
  CHECK(chosen(star({0.5, 0.0}), only("greedy")) == 0);
  CHECK(chosen(search_tree{}, only("greedy")) == 0);
}

TEST_CASE("greedy skips exhausted nodes, until all are exhausted") {
  auto t = star({1.5, 3.0});
  exhaust(t, 2);
  CHECK(chosen(t, only("greedy")) == 1);
  exhaust(t, 1);
  exhaust(t, 0);
  CHECK(chosen(t, only("greedy")) == 2);
}

TEST_CASE("random reaches every valid node and no other") {
  auto t = star({1.5, 0.0, 2.0});
  t.add({0}, false); // in flight
  std::set<uint64_t> seen;
  for (uint64_t seed = 0; seed < 200; ++seed)
    seen.insert(chosen(t, only("random"), seed));
  CHECK(seen == std::set<uint64_t>{0, 1, 3});
}

TEST_CASE("uct widens a node while its visits allow another child") {
  auto o = only("uct");
  o.widening = 1.0;
  o.widening_exponent = 0.5;
  // A root with n children has n + 1 visits and may have sqrt(n + 1) children.
  CHECK(chosen(search_tree{}, o) == 0);
  auto t = star({2.0});
  CHECK(chosen(t, o) == 0); // 1 < sqrt(2)
  t.finish(t.add({0}, false), passed(1.2));
  CHECK(chosen(t, o) == 1); // 2 >= sqrt(3): descends to the better child
  o.widening = 10.0;
  CHECK(chosen(t, o) == 0);
}

TEST_CASE("without steps from the reference, policies improve candidates once one of them is faster") {
  for (const auto& name : policy_names()) {
    INFO(name);
    auto o = only(name);
    o.from_reference = false;
    std::set<uint64_t> slower;
    uint64_t from_root = 0;
    for (uint64_t seed = 0; seed < 100; ++seed) {
      slower.insert(chosen(star({0.5, 0.5, 0.5}), o, seed));
      from_root += chosen(star({0.0, 2.0, 0.5}), o, seed) == 0 ? 1U : 0U;
    }
    CHECK(slower.contains(0));
    CHECK(from_root == 0);
    o.memory = {{"none", 1.0}};
    CHECK(chosen(star({0.0, 2.0}), o) == 0); // a clean start is meant
  }
}

TEST_CASE("uct descends to the higher bound: value first, then fewer visits") {
  auto o = only("uct");
  o.widening = 0.1; // never adds children to a node that has some
  auto t = star({2.0, 10.0, 4.0});
  CHECK(chosen(t, o) == 2);
  // Visits without gain below node 2 lower its bound until another child is chosen.
  auto other = false;
  for (int i = 0; i < 40 && !other; ++i) {
    t.finish(t.add({2}, false), {{{0.0, 0.0, 0.0}, verdict::wrong_result, false}, false});
    other = select(t, o, 1).statistics.at("depth") == 1.0;
  }
  CHECK(other);
  CHECK(t.at(2).value == 10.0);
  // Without exploration, it never chooses another child.
  o.exploration = 0.0;
  CHECK(select(t, o, 1).statistics.at("depth") == 2.0);
}

TEST_CASE("uct's score is the normalised value plus the exploration term, and is recorded") {
  auto o = only("uct");
  o.widening = 0.1;
  o.exploration = 1.4;
  auto s = select(star({0.5, 3.0}), o, 1);
  CHECK(s.parents.front() == 2);
  CHECK(s.statistics.at("q_min") == 0.5);
  CHECK(s.statistics.at("q_max") == 3.0);
  CHECK(s.statistics.at("q") == 1.0);
  CHECK(s.statistics.at("parent_visits") == 3.0);
  CHECK(s.statistics.at("score") == doctest::Approx(1.0 + 1.4 * std::sqrt(std::log(3.0))));
  // The scale of the speed-ups does not matter.
  CHECK(chosen(star({1.01, 1.02, 1.03}), o) == chosen(star({10.0, 20.0, 30.0}), o));
}

TEST_CASE("virtual loss sends concurrent selections to different children") {
  auto o = only("uct");
  o.widening = 0.1;
  o.exploration = 0.5;
  auto t = star({3.0, 2.9, 2.8});
  std::set<uint64_t> seen;
  for (int i = 0; i < 3; ++i) {
    auto parent = chosen(t, o);
    seen.insert(parent);
    t.add({parent}, false);
  }
  CHECK(seen == std::set<uint64_t>{1, 2, 3});
}

TEST_CASE("virtual loss lowers the value itself, not the exploration term alone") {
  auto o = only("uct");
  o.widening = 0.1;
  o.exploration = 0.0;
  auto t = star({3.0, 2.9});
  CHECK(chosen(t, o) == 1);
  t.add({1}, false);
  CHECK(chosen(t, o) == 2);
}

TEST_CASE("uct never chooses a node in flight or one without a candidate") {
  auto o = only("uct");
  o.widening = 0.1;
  search_tree t;
  auto a = t.add({0}, true);
  CHECK(chosen(t, o) == 0);
  t.finish(a, {}); // nothing was proposed
  CHECK(chosen(t, o) == 0);
  auto b = t.add({0}, true);
  t.finish(b, passed(0.9));
  CHECK(chosen(t, o) == b);
}

TEST_CASE("a duplicate node is neither a parent nor a second parent") {
  search_tree t = star({2.0});
  auto twin = passed(2.5); // would be the fittest if it counted
  twin.duplicate_of = 1;
  t.finish(t.add({0}, true), twin);
  for (const auto* policy : {"greedy", "uct", "random"}) {
    auto o = only(policy);
    o.widening = 0.1;
    o.combine = 1.0;
    for (uint64_t seed = 1; seed <= 40; ++seed)
      for (const auto parent : select(t, o, seed).parents)
        CHECK(parent != 2);
  }
}

TEST_CASE("uct skips an exhausted subtree") {
  auto o = only("uct");
  auto t = star({9.0, 2.0});
  exhaust(t, 0);
  exhaust(t, 1);
  CHECK(chosen(t, o) == 2);
}

TEST_CASE("without memory a step starts from the reference") {
  auto t = star({1.5, 3.0});
  auto o = only("greedy");
  o.memory = {{"none", 1.0}};
  o.combine = 1.0;
  auto s = select(t, o, 1);
  CHECK(s.memory == "none");
  CHECK(s.parents == std::vector<uint64_t>{0});
  CHECK(!s.draft);
  CHECK(s.statistics.at("fresh_start_instead_of") == 2.0);
}

TEST_CASE("a combination takes a second valid parent, fitter ones more likely") {
  auto t = star({1.5, 9.0, 0.0, 2.0, 4.0});
  auto o = only("greedy");
  o.combine = 1.0;
  std::map<uint64_t, int> second;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    auto s = select(t, o, seed);
    REQUIRE(s.parents.size() == 2);
    CHECK(s.parents[0] == 2);
    ++second[s.parents[1]];
  }
  CHECK(second.size() == 3);
  CHECK(second[5] > second[4]);
  CHECK(second[4] > second[1]);
  // There is no second parent.
  CHECK(select(star({3.0}), o, 1).parents.size() == 1);
  o.combine = 0.0;
  CHECK(select(t, o, 1).parents.size() == 1);
}

TEST_CASE("uct finds a deep optimum sooner than random") {
  // Fitness grows with each 1 in the path's history: a child of a node of level l has level l or l + 1 by its index.
  auto best_after = [](const std::string& policy, uint64_t steps) {
    auto total = 0.0;
    for (uint64_t run = 0; run < 10; ++run) {
      search_tree t;
      std::vector<double> level{0.0};
      for (uint64_t i = 0; i < steps; ++i) {
        auto o = only(policy);
        o.exploration = 0.3;
        auto s = select(t, o, run * 1000 + i);
        auto index = t.add(s.parents, false);
        auto up = (index * 2654435761U + run * 40503U) % 7 < 2;
        level.push_back(level[s.parents.front()] + (up ? 1.0 : 0.0));
        t.finish(index, passed(1.0 + level.back()));
      }
      total += t.at(0).value;
    }
    return total / 10.0;
  };
  CHECK(best_after("uct", 150) > 1.2 * best_after("random", 150));
}
