// Tests cheats that reuse answers or compute other ones than the task asks for.
#include "tests/redteam/redteam_fixture.hpp"

#include <doctest/doctest.h>

using namespace kevolve::redteam;

TEST_CASE("every cheat with answers is rejected by its rule, or gains nothing") {
  try_cheats(answer_classes);
}
