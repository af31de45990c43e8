// Tests the honest controls, which must pass.
#include "tests/redteam/redteam_fixture.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::redteam;

TEST_CASE("every honest control passes") {
  CHECK(!exhibits().controls.empty());
  for (const auto& e : exhibits().controls)
    CHECK(objection_to(e) == "");
}

// A screening meets adversarial draws only where it finds a gain.
TEST_CASE("every honest control is right on all adversarial draws") {
  for (auto e : exhibits().controls) {
    e.mode = judge_mode::check;
    CHECK(objection_to(e) == "");
  }
}
