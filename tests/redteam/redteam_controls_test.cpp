// Tests the honest controls, which must pass.
#include "tests/redteam/redteam_fixture.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::redteam;

TEST_CASE("every honest control passes") {
  try_all(exhibits().controls);
}

// A screening meets adversarial draws only where it finds a gain.
TEST_CASE("every honest control is right on all adversarial draws") {
  auto controls = exhibits().controls;
  for (auto& e : controls)
    e.mode = judge_mode::check;
  try_all(controls);
}
