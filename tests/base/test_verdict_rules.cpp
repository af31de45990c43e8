#include "runtime/base/verdict_rules.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

using namespace kevolve;

TEST_CASE("every rule has its own name and a sentence, and the verdicts follow each other in order") {
  std::set<std::string_view> names;
  std::set<verdict> seen;
  auto last = verdict::none;
  for (const auto& r : verdict_rules()) {
    CAPTURE(r.name);
    CHECK(names.insert(r.name).second);
    CHECK(r.sentence.size() > 20);
    CHECK(r.sentence.ends_with('.'));
    CHECK((r.result == last || seen.insert(r.result).second));
    last = r.result;
  }
  for (auto v = static_cast<int>(verdict::pass); v <= static_cast<int>(last_value(verdict{})); ++v)
    CHECK_MESSAGE(seen.contains(static_cast<verdict>(v)), to_string(static_cast<verdict>(v)));
}

TEST_CASE("a rule is found by its name, also behind the program that it is about") {
  REQUIRE(find_verdict_rule("guard_band") != nullptr);
  CHECK(find_verdict_rule("guard_band")->result == verdict::out_of_bounds);
  CHECK(find_verdict_rule("reference.exited") == find_verdict_rule("exited"));
  CHECK(find_verdict_rule("guard_bnad") == nullptr);
  CHECK(find_verdict_rule("") == nullptr);
}

TEST_CASE("docs/verdicts.md is what the table says") {
  if (const auto* file = std::getenv("KEVOLVE_WRITE_VERDICTS"))
    std::ofstream{file} << verdict_rules_reference();
  const auto* folder = std::getenv("KEVOLVE_SOURCE");
  std::ifstream in{std::string{folder != nullptr ? folder : "."} + "/docs/verdicts.md"};
  std::stringstream written;
  written << in.rdbuf();
  CHECK_MESSAGE(written.str() == verdict_rules_reference(),
                "write the new one with: KEVOLVE_WRITE_VERDICTS=docs/verdicts.md kevolve-tests-base");
}
