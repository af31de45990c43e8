#include "actors/search/policy.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace kevolve;

namespace {

node_outcome passed(double fitness) {
  return {{{fitness, fitness, fitness}, verdict::pass, false}, false, true};
}

// Ends a step of the memory operator, made from the reference.
uint64_t ended(search_tree& t, double fitness, const std::string& memory = "parent") {
  const auto index = t.add({0}, node_origin{.memory = memory_operator_of(memory)});
  t.finish(index, passed(fitness));
  return index;
}

policy_options adaptive() {
  policy_options o;
  o.policies = {{"adaptive", 1.0}};
  o.memory = {{"parent", 1.0}};
  o.drafts = 0;
  o.combine = 0.0;
  o.stall = {.after = 5, .broaden = 7};
  return o;
}

// Selects the next step and ends it with this fitness. Returns the change of phase that came with it.
std::optional<phase_switch> step(search_tree& t, const policy_options& o, double fitness) {
  const auto s = select(t, o, t.size());
  t.finish(add(t, s), passed(fitness));
  return s.switched;
}

} // namespace

TEST_CASE("a gain of a percent ends a stall, and less does not, however often") {
  search_tree t;
  ended(t, 2.0);
  const auto& p = t.index().progress();
  CHECK(p.since_gain() == 0);
  ended(t, 2.01);
  ended(t, 1.5);
  CHECK(p.since_gain() == 2);
  ended(t, 2.015);
  CHECK(p.since_gain() == 3);
  ended(t, 2.021); // against 2.0
  CHECK(p.since_gain() == 0);
}

TEST_CASE("a duplicate, a surprise and a step that brought nothing are no gains") {
  search_tree t;
  const auto first = ended(t, 2.0);
  auto twin = passed(2.9);
  twin.duplicate_of = first;
  t.finish(t.add({0}, false), twin);
  auto surprise = passed(50.0);
  surprise.verified = false;
  t.finish(t.add({0}, false), surprise);
  t.finish(t.add({0}, false), {});
  CHECK(t.index().progress().since_gain() == 2); // nothing was tried by the last
}

TEST_CASE("adaptive broadens when gains fail to come, with the reason, and returns after a gain") {
  search_tree t;
  const auto o = adaptive();
  CHECK_FALSE(step(t, o, 2.0));
  for (int i = 0; i < 5; ++i)
    CHECK_FALSE(step(t, o, 1.5));
  const auto broad = step(t, o, 1.5);
  REQUIRE(broad);
  CHECK(broad->to == search_phase::broaden);
  CHECK(broad->reason == "5 candidates without a gain");
  CHECK(t.index().progress().phase() == search_phase::broaden);
  CHECK_FALSE(step(t, o, 3.0));
  const auto back = step(t, o, 1.5);
  REQUIRE(back);
  CHECK(back->to == search_phase::exploit);
  CHECK(back->reason == "a gain after 2 candidates of a broad search");
}

TEST_CASE("adaptive returns from a broad search without a gain, and exploits as long as before") {
  search_tree t;
  const auto o = adaptive();
  step(t, o, 2.0);
  std::vector<std::pair<uint64_t, std::string>> switches;
  for (uint64_t i = 1; i <= 19; ++i)
    if (const auto s = step(t, o, 1.5))
      switches.emplace_back(i, s->reason);
  CHECK(switches
        == std::vector<std::pair<uint64_t, std::string>>{{6, "5 candidates without a gain"},
                                                         {13, "7 candidates of a broad search without a gain"},
                                                         {18, "5 candidates without a gain"}});
}

TEST_CASE("adaptive exploits the fittest few and reaches every valid node while it is broad") {
  search_tree t;
  for (int i = 0; i < 40; ++i)
    ended(t, 1.0 + 0.01 * i);
  const auto o = adaptive();
  for (const auto phase : {search_phase::exploit, search_phase::broaden}) {
    t.index().progress().switched(phase);
    std::set<uint64_t> seen;
    for (uint64_t seed = 0; seed < 3000; ++seed)
      seen.insert(select(t, o, seed).parents.front());
    CHECK(seen.size() == (phase == search_phase::exploit ? 1U : t.size()));
  }
}

TEST_CASE("a stall raises the share of steps without memory, and the selection tells") {
  search_tree t;
  policy_options o;
  o.drafts = 0;
  o.memory = {{"parent", 0.9}, {"none", 0.1}};
  o.stall = {.after = 4, .broaden = 8, .restarts = 0.5};
  const auto fresh = [&] {
    auto count = 0;
    for (uint64_t seed = 0; seed < 2000; ++seed)
      count += select(t, o, seed).memory == "none" ? 1 : 0;
    return count;
  };
  ended(t, 2.0);
  for (int i = 0; i < 3; ++i)
    ended(t, 1.5);
  CHECK(std::abs(fresh() - 200) < 60);
  CHECK_FALSE(select(t, o, 1).statistics.contains("stalled_for"));
  ended(t, 1.5);
  CHECK(std::abs(fresh() - 1000) < 100);
  CHECK(select(t, o, 1).statistics.at("stalled_for") == 4.0);
  CHECK(select(t, o, 1).statistics.at("restarts") == 0.5);
  o.stall.restarts = 0.0;
  CHECK(std::abs(fresh() - 200) < 60);
  ended(t, 3.0);
  o.stall.restarts = 0.5;
  CHECK(std::abs(fresh() - 200) < 60);
}

TEST_CASE("memory operators follow what they gain, within a quarter and four times, where a campaign asks for it") {
  search_tree t;
  policy_options o;
  o.drafts = 0;
  auto best = 1.0;
  for (int i = 0; i < 60; ++i) {
    best *= 1.05;
    ended(t, best, "both");
    ended(t, 1.0, "parent");
    ended(t, 1.0, "siblings");
  }
  const auto share = [&](const std::string& name) {
    auto count = 0;
    for (uint64_t seed = 0; seed < 2000; ++seed)
      count += select(t, o, seed).memory == name ? 1 : 0;
    return count / 2000.0;
  };
  CHECK(share("both") == doctest::Approx(0.2).epsilon(0.15));
  o.adapt_memory = true;
  CHECK(share("both") > 0.4);
  CHECK(share("parent") > 0.05);
  const auto s = select(t, o, 1);
  CHECK(s.statistics.at("memory.both") > 2.0 * s.statistics.at("memory.parent"));
  CHECK(s.statistics.at("memory.parent") >= 0.5 / 4.0);
}

TEST_CASE("drafts and what people put in count for no memory operator") {
  CHECK(origin_of("draft", "none", {}, true).memory == no_memory);
  CHECK(origin_of("inject", "none", {}, false).memory == no_memory);
  CHECK(origin_of("greedy", "none", {}, false).memory == memory_operator_of("none"));
}
