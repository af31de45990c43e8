// The other half of the honest controls.
#include "replay_fixture.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::testing;

TEST_CASE("the second half of the honest controls comes out clean") {
  controls_must_be_clean("p", "~");
}
