// Replays the other half of the honest controls.
#include "replay_fixture.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

const std::string reads_beyond_its_array = "reads_whole_lines";

} // namespace

TEST_CASE("the second half of the honest controls comes out clean") {
  const auto controls = honest_controls("p", "~");
  CHECK(!controls.empty());
  for (const auto& f : controls)
    if (f.name != reads_beyond_its_array)
      CHECK(replayed(f) == "clean");
}

TEST_CASE("an honest control that reads beyond its array is refused by the sanitizer alone") {
  const auto controls = honest_controls(reads_beyond_its_array, reads_beyond_its_array + "~");
  REQUIRE(controls.size() == 1);
  const auto o = bench().judge(controls.front());
  CHECK_MESSAGE(o.result == verdict::out_of_bounds, summary(o));
  CHECK(o.rule == "sanitizer");
}
