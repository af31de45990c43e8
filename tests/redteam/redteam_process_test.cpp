// Tests cheats that attack the judge, its processes or the machine.
#include "tests/redteam/redteam_fixture.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace kevolve::redteam;

TEST_CASE("every cheat against the judge's processes is rejected by its rule, or gains nothing") {
  std::filesystem::remove(mark_of_a_cheat);
  const auto cheats = cheats_of(process_classes);
  CHECK(!cheats.empty());
  for (const auto& e : cheats)
    CHECK(objection_to(e) == "");
  CHECK_FALSE(std::filesystem::exists(mark_of_a_cheat));
}
