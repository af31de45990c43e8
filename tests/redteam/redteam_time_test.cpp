// Tests cheats that work at another time than the judge measures, or that harm the other side of a comparison.
#include "tests/redteam/redteam_fixture.hpp"

#include <doctest/doctest.h>

using namespace kevolve::redteam;

TEST_CASE("every cheat with time is rejected by its rule, or gains nothing") {
  try_cheats(time_classes);
}
