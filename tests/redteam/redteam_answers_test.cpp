// Tests cheats that reuse answers or compute other ones than the task asks for.
#include "tests/redteam/redteam_fixture.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace kevolve::redteam;

TEST_CASE("every cheat with answers is rejected by its rule, or gains nothing") {
  std::filesystem::remove(mark_of_a_cheat);
  const auto cheats = cheats_of(answer_classes);
  CHECK(!cheats.empty());
  for (const auto& e : cheats)
    CHECK(objection_to(e) == "");
  CHECK_FALSE(std::filesystem::exists(mark_of_a_cheat));
}
