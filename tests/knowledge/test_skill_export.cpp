#include "actors/knowledge/skill_export.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

TEST_CASE("people's notes on a skill leave the node without paths, keys and their names") {
  skill s;
  s.conditions.target = "cpu";
  s.conditions.language = "c";
  s.conditions.families = {"reduction"};
  s.step.moves = "tile(_1,64)";
  s.provenance.by = "distilled";
  s.state = skill_state::revoked;
  s.reason = "crashes, see /home/ann/notes.txt";
  s.history.push_back({2, 1, skill_state::confirmed, "1 application elsewhere faster", "gate"});
  s.history.push_back({3, 2, skill_state::revoked, s.reason, "ann"});
  s.history.push_back({4, 3, skill_state::revoked, "wrong with denormals", "ann"});
  const auto out = for_others({s});
  REQUIRE(out.size() == 1);
  CHECK(out[0].reason.empty());
  CHECK(out[0].state == skill_state::revoked);
  CHECK(out[0].history[0] == s.history[0]);
  CHECK(out[0].history[1].reason.empty());
  CHECK(out[0].history[1].by == "a person");
  CHECK(out[0].history[2].reason == "wrong with denormals");
  s.provenance.by.clear();
  CHECK(for_others({s})[0].provenance.by.empty());
}

TEST_CASE("a skill that another node would refuse is not exported") {
  skill s;
  s.conditions.target = "cpu";
  s.step.moves = "tile(_1,64)"; // no language and no families: it says nothing
  CHECK(for_others({s}).empty());
}
