#include "actors/knowledge/skill_gate.hpp"
#include "tests/support/skills.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace kevolve;
using namespace kevolve::test;

TEST_CASE("a skill stays a hypothesis until another candidate was measured") {
  auto s = judged_anew(a_skill(), 0);
  CHECK(s.state == skill_state::hypothesis);
  CHECK(s.version == 1);
  CHECK(s.history.empty());
  auto again = an_application(0.5, 7);
  again.campaign = s.provenance.campaign;
  again.parent = s.provenance.parent; // another child of the same parent shows nothing new
  s = applied(s, again, 0);
  CHECK(s.state == skill_state::hypothesis);
  s = applied(s, an_application(0.3, 3), 0);
  CHECK(s.state == skill_state::confirmed);
  CHECK(s.version == 2);
  REQUIRE(s.history.size() == 1);
  CHECK(s.history.back().state == skill_state::confirmed);
  CHECK(s.history.back().by == "gate");
  CHECK(s.reason == "1 application elsewhere faster");
}

TEST_CASE("a skill that is slower or wrong elsewhere is rejected and keeps its record") {
  const auto slower = applied(a_skill(), an_application(-0.3, 3), 0);
  CHECK(slower.state == skill_state::rejected);
  CHECK(slower.applications.size() == 2);
  CHECK(weight_of(slower, 0) == 0.0);
  score parent{{1.5, 1.4, 1.6}, verdict::pass, false};
  score child{{0.0, 0.0, 0.0}, verdict::wrong_result, false};
  auto wrong = application_of(child, parent);
  REQUIRE(wrong);
  CHECK(wrong->verdict == "wrong_result");
  wrong->campaign = {9, 9};
  CHECK(applied(a_skill(), *wrong, 0).state == skill_state::rejected);
}

TEST_CASE("a skill without a gain is rejected after enough applications") {
  auto s = a_skill();
  for (uint64_t i = 1; i <= 4; ++i) {
    CHECK(s.state == skill_state::hypothesis);
    s = applied(s, an_application(0.005, 10 + i), 0);
  }
  CHECK(s.state == skill_state::rejected);
  CHECK(s.reason == "4 applications elsewhere, no gain");
}

TEST_CASE("a contradiction narrows the conditions to where nothing was slower") {
  auto s = applied(a_skill(), an_application(0.5, 3), 0);
  const auto before = weight_of(s, 0);
  s = applied(s, an_application(-0.2, 4, "softmax"), 0);
  CHECK(s.state == skill_state::conflicting);
  CHECK(s.not_for == std::vector<std::string>{"family:softmax"});
  CHECK(weight_of(s, 0) < before / 2);
  CHECK(weight_of(s, 0) > 0.0);
}

TEST_CASE("an application loses half of its weight in 90 days") {
  auto s = a_skill();
  s.applications.clear();
  auto a = an_application(0.4, 3);
  a.standard_error = 0.0866025; // with the spread between places: a variance of 0.01
  s.applications.push_back(a);
  const auto mean_at = [&](int64_t days) { return posterior_of(s, days * a_day_ns).mean; };
  const double prior = 1.0 / (0.15 * 0.15);
  CHECK(mean_at(0) == doctest::Approx(0.4 * 100.0 / (100.0 + prior)));
  CHECK(mean_at(90) == doctest::Approx(0.4 * 50.0 / (50.0 + prior)));
  CHECK(mean_at(180) == doctest::Approx(0.4 * 25.0 / (25.0 + prior)));
}

TEST_CASE("an application is counted once") {
  auto s = applied(a_skill(), an_application(0.3, 3), 0);
  CHECK(applied(s, an_application(0.9, 3), 0) == s);
}

TEST_CASE("a revoked skill stays revoked whatever is measured") {
  auto s = revoked(applied(a_skill(), an_application(0.3, 3), 0), "somebody", "breaks ties", 5);
  CHECK(s.state == skill_state::revoked);
  CHECK(s.history.back().by == "somebody");
  const auto version = s.version;
  s = applied(s, an_application(0.6, 4), 6);
  CHECK(s.state == skill_state::revoked);
  CHECK(s.version == version);
  CHECK(s.applications.size() == 3);
  CHECK(weight_of(s, 6) == 0.0);
}

TEST_CASE("the gain of a child is measured against its parent, with both errors") {
  const score parent{{2.0, 1.9, 2.1}, verdict::pass, false};
  const score child{{3.0, 2.9, 3.1}, verdict::pass, false};
  const auto a = application_of(child, parent);
  REQUIRE(a);
  CHECK(a->log_gain == doctest::Approx(std::log(1.5)));
  const auto of_child = std::log(3.1 / 2.9) / 3.06;
  const auto of_parent = std::log(2.1 / 1.9) / 3.06;
  CHECK(a->standard_error == doctest::Approx(std::hypot(of_child, of_parent)));
  CHECK(application_of(child, {{1.0, 1.0, 1.0}, verdict::pass, false})->standard_error == doctest::Approx(of_child));
  CHECK(!application_of({{0.0, 0.0, 0.0}, verdict::none, false}, parent));
  CHECK(!application_of(child, {{0.0, 0.0, 0.0}, verdict::timeout, false}));
}
