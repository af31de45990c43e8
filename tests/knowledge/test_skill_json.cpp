#include "actors/knowledge/skill_json.hpp"
#include "runtime/base/codec.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

skill whole_skill() {
  skill s;
  s.version = 3;
  s.conditions = {"cpu", "c", {"matmul", "reduction"}, {"f32"}, {"x86-64"}, "latency_chain", "$1: innermost"};
  s.step = {"tile($1,64); vectorise($1,16)", "vectorises the innermost loop", "for", "vector for"};
  s.not_for = {"family:softmax"};
  s.state = skill_state::conflicting;
  s.reason = "slower in one place";
  s.applications.push_back({0.25, 0.01, 1234, {"x86-64"}, {1, 2}, 3, 4, "rows", {"family:reduction"}, "pass", true});
  s.provenance = {{5, 6}, "first", "rows", 3, 4, "distilled"};
  s.history.push_back({2, 99, skill_state::confirmed, "faster elsewhere", "gate"});
  s.id = skill_id(s);
  return s;
}

} // namespace

TEST_CASE("a skill keeps everything through its record and its JSON") {
  const auto s = whole_skill();
  const auto stored = decode<skill>(encode(s));
  REQUIRE(stored);
  CHECK(*stored == s);
  const auto read = parse_skills(skills_text({s, {}}));
  REQUIRE(read);
  REQUIRE(read->size() == 2);
  CHECK(read->front() == s);
}

TEST_CASE("a skill's id follows from features, conditions and step alone") {
  const auto s = whole_skill();
  auto other = s;
  other.applications.clear();
  other.state = skill_state::revoked;
  other.provenance = {};
  CHECK(skill_id(other) == skill_id(s));
  other.step.moves += "; restrict";
  CHECK(skill_id(other) != skill_id(s));
  other = s;
  other.conditions.bound.clear();
  CHECK(skill_id(other) != skill_id(s));
  other = s;
  ++other.features;
  CHECK(skill_id(other) != skill_id(s));
}

TEST_CASE("an imported text with a wrong value names the skill and the key") {
  auto text = skills_text({whole_skill()});
  const std::string good = "\"state\": \"conflicting\"";
  text.replace(text.find(good), good.size(), "\"state\": \"believed\"");
  const auto read = parse_skills(text);
  REQUIRE(!read);
  CHECK(read.error().code == errc::bad_input);
  CHECK(read.error().detail.find("skills[0].state: expected one of hypothesis") == 0);
  CHECK(parse_skills("[]").error().code == errc::bad_input);
  CHECK(parse_skills("{\"format\": 2, \"skills\": []}").error().detail.find("`format` is not 1") == 0);
  CHECK(parse_skills("{\"format\": 1, \"skills\": [3]}").error().detail == "skills[0]: no object");
  CHECK(parse_skills("{\"format\": 1, \"skills\": [{\"version\": -1}]}").error().detail
        == "skills[0].version: expected a whole number from 0 up");
}
