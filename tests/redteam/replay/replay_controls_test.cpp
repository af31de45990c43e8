// Replays honest candidates, which must come out clean.
#include "replay_fixture.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::testing;

TEST_CASE("honest neighbours come out clean") {
  for (const auto& f : load_replay_fixtures(redteam_folder("replay/honest")))
    must_be_clean(f);
}

TEST_CASE("the first half of the honest controls comes out clean") {
  controls_must_be_clean("", "p");
}
