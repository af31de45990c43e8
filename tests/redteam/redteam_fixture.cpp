#include "tests/redteam/redteam_fixture.hpp"

#include "tests/support/judge_driver.hpp"
#include "tools/bench/redteam_judgement.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

namespace kevolve::redteam {

namespace {

judge_driver& judge() {
  static judge_driver one;
  return one;
}

} // namespace

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

void try_all(const std::vector<exhibit>& list) {
  REQUIRE(!list.empty());
  for (const auto& e : list)
    for (const auto& variant : e.variants) {
      auto object = build_object(e, variant);
      INFO(e.name << " " << variant);
      REQUIRE_MESSAGE(object.has_value(), (object ? std::string{} : object.error().detail));
      const auto judged =
          judge_exhibit(e, variant, request_for(exhibits(), e, std::move(*object)),
                        [](const judge_request& request) { return result<judge_outcome>{judge().ask(request)}; });
      REQUIRE(judged.has_value());
      if (judged->left_to_confirmation)
        MESSAGE(e.name << " " << variant << " passed a screening: " << judged->edge_calls);
      const auto wrong = objection(e, judged->outcome);
      CHECK_MESSAGE(wrong.empty(), wrong);
    }
}

void try_cheats(const std::string& letters) {
  const std::string mark = "/tmp/kevolve-was-here";
  std::filesystem::remove(mark);
  std::vector<exhibit> of_class;
  for (const auto& e : exhibits().cheats)
    if (letters.find(e.classes.front().front()) != std::string::npos)
      of_class.push_back(e);
  try_all(of_class);
  CHECK(!std::filesystem::exists(mark));
}

} // namespace kevolve::redteam
