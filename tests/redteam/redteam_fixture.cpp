// Judges every cheat once against the rejection in its first lines, and every honest control, which must pass. The long
// form is tools/bench/run redteam --long.
#include "tests/cpu_judge/judge_driver.hpp"
#include "tools/bench/redteam_catalogue.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

using namespace kevolve;
using namespace kevolve::redteam;

namespace {

std::string folder() {
  const auto* source = std::getenv("KEVOLVE_SOURCE");
  REQUIRE_MESSAGE(source != nullptr, "KEVOLVE_SOURCE is not set: run through ctest");
  return std::string{source} + "/tests/redteam";
}

const catalogue& exhibits() {
  static const auto all = [] {
    auto c = open_catalogue(folder());
    REQUIRE_MESSAGE(c.has_value(), (c ? std::string{} : c.error().detail));
    return std::move(*c);
  }();
  return all;
}

judge_driver& judge() {
  static judge_driver one;
  return one;
}

size_t left_to_confirmation = 0; // cheats that a screening passed

void try_all(const std::vector<exhibit>& list) {
  for (const auto& e : list)
    for (const auto& variant : e.variants) {
      auto object = build_object(e, variant);
      INFO(e.name << " " << variant);
      REQUIRE_MESSAGE(object.has_value(), (object ? std::string{} : object.error().detail));
      auto request = request_for(exhibits(), e, std::move(*object));
      auto o = judge().ask(request);
      if (needs_confirmation(e, request, o)) {
        ++left_to_confirmation;
        request.mode = judge_mode::confirm;
        o = judge().ask(request);
      }
      const auto wrong = objection(e, o);
      CHECK_MESSAGE(wrong.empty(), wrong);
    }
}

} // namespace

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

TEST_CASE("every cheat is rejected by its rule, or gains nothing") {
  const std::string mark = "/tmp/kevolve-was-here";
  std::filesystem::remove(mark);
  try_all(exhibits().cheats);
  CHECK(left_to_confirmation <= 1); // one by chance
  CHECK(!std::filesystem::exists(mark));
}

TEST_CASE("the catalogue's table names every cheat, with its control and its classes") {
  const auto table = read_file(folder() + "/README.md");
  std::set<std::string> classes;
  for (const auto& e : exhibits().cheats) {
    const auto at = table.find("| `" + e.name + "` |");
    REQUIRE_MESSAGE(at != std::string::npos, e.name);
    const auto line = table.substr(at, table.find('\n', at) - at);
    CHECK_MESSAGE(line.find("`" + e.control + "`") != std::string::npos, e.name);
    classes.insert(e.classes.begin(), e.classes.end());
  }
  for (const auto& id : classes)
    CHECK_MESSAGE(table.find("| " + id + " ") != std::string::npos, id);
}
