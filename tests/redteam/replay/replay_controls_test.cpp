// Replays honest candidates, which must come out clean.
#include "replay_fixture.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::testing;

TEST_CASE("honest neighbours come out clean") {
  const auto neighbours = load_replay_fixtures(redteam_folder("replay/honest"));
  CHECK(!neighbours.empty());
  for (const auto& f : neighbours)
    CHECK(replayed(f) == "clean");
}

TEST_CASE("the first half of the honest controls comes out clean") {
  const auto controls = honest_controls("", "p");
  CHECK(!controls.empty());
  for (const auto& f : controls)
    CHECK(replayed(f) == "clean");
}
