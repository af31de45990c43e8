#include "tests/redteam/redteam_fixture.hpp"

#include "tests/support/judge_driver.hpp"
#include "tools/bench/redteam_judgement.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <utility>

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

std::string objection_to(const exhibit& e) {
  std::string out;
  for (const auto& variant : e.variants) {
    const auto object_to = [&](const std::string& why) {
      if (!why.empty())
        out += (out.empty() ? "" : "\n") + e.name + " " + variant + ": " + why;
    };
    auto object = build_object(e, variant);
    if (!object) {
      object_to(object.error().detail);
      continue;
    }
    const auto judged =
        judge_exhibit(e, variant, request_for(exhibits(), e, std::move(*object)),
                      [](const judge_request& request) { return result<judge_outcome>{judge().ask(request)}; });
    if (!judged) {
      object_to(judged.error().detail);
      continue;
    }
    if (judged->left_to_confirmation)
      MESSAGE(e.name << " " << variant << " passed a screening: " << judged->edge_calls);
    object_to(objection(e, judged->outcome));
  }
  return out;
}

std::vector<exhibit> cheats_of(const std::string& letters) {
  std::vector<exhibit> out;
  for (const auto& e : exhibits().cheats)
    if (letters.find(e.classes.front().front()) != std::string::npos)
      out.push_back(e);
  return out;
}

} // namespace kevolve::redteam
