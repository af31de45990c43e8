// Skills for tests, made from a few words.
#pragma once

#include "actors/knowledge/skill.hpp"

#include <memory>
#include <string>

namespace kevolve::test {

inline constexpr int64_t a_day_ns = 86'400'000'000'000;

// Returns a hypothesis for the cpu that was distilled from candidate 2 of campaign 1.
inline skill a_skill(const std::string& moves = "vectorise(_1,16)") {
  skill s;
  s.conditions = {"cpu", "c", {"reduction"}, {"f32"}, {"x86-64", "zen3"}, "", "scalar; _1: innermost independent"};
  s.step.moves = moves;
  s.provenance = {{1, 1}, "first", "rows", 1, 2, "distilled"};
  skill_application origin;
  origin.log_gain = 0.4;
  origin.standard_error = 0.01;
  origin.campaign = {1, 1};
  origin.parent = 1;
  origin.candidate = 2;
  origin.verdict = "pass";
  origin.is_origin = true;
  s.applications.push_back(origin);
  s.id = skill_id(s);
  return s;
}

// Returns an application in campaign 9, as candidate `candidate`.
inline skill_application an_application(double log_gain, uint64_t candidate, const std::string& family = "reduction",
                                        double standard_error = 0.01) {
  skill_application a;
  a.log_gain = log_gain;
  a.standard_error = standard_error;
  a.hardware = {"x86-64", "zen3"};
  a.campaign = {9, 9};
  a.parent = 1;
  a.candidate = candidate;
  a.signals = {"family:" + family, "dtype:f32"};
  a.verdict = "pass";
  return a;
}

} // namespace kevolve::test
