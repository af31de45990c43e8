#include "actors/knowledge/skill_distil.hpp"
#include "actors/synthesis/step_skills.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::synthesis;

namespace {

offered_skill offered(uint64_t number, const std::string& words, double weight,
                      skill_state state = skill_state::confirmed) {
  offered_skill s;
  s.id = {number << 32U, number};
  s.state = state;
  s.step = {"", words, "sum += x[i];\n", "sum[i % 4] += x[i];\n"};
  s.weight = s.gain = weight;
  s.applications = 3;
  return s;
}

std::vector<std::string> outcomes(const knowledge::retrieval& r) {
  std::vector<std::string> out;
  for (const auto& s : r.trace.sections)
    out.push_back(s.outcome);
  return out;
}

using list = std::vector<std::string>;

} // namespace

TEST_CASE("a prompt quotes the two best proven skills, with their names and figures") {
  const auto found = quoted_skills({offered(1, "a trial", 0.9, skill_state::hypothesis), offered(2, "lesser", 0.1),
                                    offered(3, "best", 0.3), offered(4, "second", 0.2)},
                                   skill_tokens);
  REQUIRE(found.sections.size() == 2);
  CHECK(found.sections[0].title == offered_name({3ULL << 32U, 3}) + ": best");
  CHECK(found.sections[0].text.find("1.35 times as fast") != std::string::npos);
  CHECK(found.sections[0].text.find("sum[i % 4] += x[i];") != std::string::npos);
  CHECK(found.sections[1].title.find(": second") != std::string::npos);
  CHECK(outcomes(found) == list{"quoted", "quoted", "enough", "enough"});
}

TEST_CASE("a trial is quoted where nothing is proven, and says so; the budget cuts") {
  const std::vector<offered_skill> trials{offered(1, "first", 0.2, skill_state::hypothesis),
                                          offered(2, "other", 0.1, skill_state::hypothesis)};
  const auto found = quoted_skills(trials, skill_tokens);
  REQUIRE(found.sections.size() == 1);
  CHECK(found.sections[0].text.find("a trial") != std::string::npos);
  const auto none = quoted_skills(trials, 10);
  CHECK(none.sections.empty());
  CHECK(outcomes(none) == list{"budget", "budget"});
}

TEST_CASE("a search finds skills by their words and code, those with most words first") {
  const std::vector<offered_skill> all{offered(1, "tile the outer loop", 0.5), offered(2, "several partial sums", 0.3),
                                       offered(3, "partial sums of a tile", 0.1)};
  const auto found = skills_about(all, "partial sums in a tile", 2'000);
  REQUIRE(found.size() == 3);
  CHECK(found[0].title.find("partial sums of a tile") != std::string::npos);
  CHECK(found[1].title.find("several partial sums") != std::string::npos);
  CHECK(skills_about(all, "shuffles across lanes", 2'000).empty());
  CHECK(skills_about(all, "", 2'000).empty());
  CHECK(skills_about(all, "partial sums", 10).empty());
}
