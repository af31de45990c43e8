// Tests cheats that attack the judge, its processes or the machine.
#include "tests/redteam/redteam_fixture.hpp"

#include <doctest/doctest.h>

using namespace kevolve::redteam;

TEST_CASE("every cheat against the judge's processes is rejected by its rule, or gains nothing") {
  try_cheats(process_classes);
}
