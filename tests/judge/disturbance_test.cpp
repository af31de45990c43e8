#include "backends/judge/disturbance.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace kevolve;

TEST_CASE("a session is disturbed by stolen time, drift, waiting pairs and other processes, each beyond its limit") {
  constexpr double ms = 1e6;
  struct row {
    const char* name;
    session_noise noise;
    const char* says; // part of the reason; empty: not disturbed
  };
  // Columns: wall, stolen, tick, probe before, probe after, pairs, waiting
  const std::vector<row> rows{
      {"calm", {1000 * ms, 0, 10 * ms, 100, 101, 20, 0}, ""},
      {"stolen at its limit", {1000 * ms, 50 * ms, 10 * ms, 100, 100, 20, 0}, ""},
      {"stolen beyond it", {1000 * ms, 60 * ms, 10 * ms, 100, 100, 20, 0}, "60.0 ms of 1000.0 ms"},
      {"two ticks say nothing", {100 * ms, 20 * ms, 10 * ms, 100, 100, 20, 0}, ""},
      {"three do", {100 * ms, 30 * ms, 10 * ms, 100, 100, 20, 0}, "stolen"},
      {"slower at the end", {1000 * ms, 0, 10 * ms, 100, 116, 20, 0}, "factor of 1.160"},
      {"faster at the end", {1000 * ms, 0, 10 * ms, 140, 100, 20, 0}, "factor of 1.400"},
      {"drift at its limit", {1000 * ms, 0, 10 * ms, 100, 115, 20, 0}, ""},
      {"no probe", {1000 * ms, 0, 10 * ms, 0, 130, 20, 0}, ""},
      {"half the pairs waited", {1000 * ms, 0, 10 * ms, 100, 100, 20, 10}, ""},
      {"more than half", {1000 * ms, 0, 10 * ms, 100, 100, 20, 11}, "11 of 20 pairs"},
      {"no pairs", {1000 * ms, 0, 10 * ms, 100, 100, 0, 0}, ""},
      {"others at their limit", {1000 * ms, 0, 10 * ms, 100, 100, 20, 0, 100 * ms, 2}, ""},
      {"others beyond it", {1000 * ms, 0, 10 * ms, 100, 100, 20, 0, 110 * ms, 2}, "ran for 110.0 ms of 1000.0 ms"},
      {"few ticks of many cores say nothing", {100 * ms, 0, 10 * ms, 100, 100, 20, 0, 50 * ms, 2}, ""},
  };
  for (const auto& r : rows) {
    INFO(r.name);
    const auto why = why_disturbed(r.noise, {});
    CHECK(why.empty() == (r.says[0] == '\0'));
    CHECK(why.find(r.says) != std::string::npos);
  }
}

TEST_CASE("a decision stands if no noise of that size could have caused it") {
  constexpr double ms = 1e6;
  const auto stands = [](const session_noise& w, double winner, double loser) {
    return stands_anyway(w, {}, {{1.0, winner * ms, loser * ms}});
  };
  const session_noise stolen{1000 * ms, 100 * ms, 10 * ms, 100, 100, 20, 0};
  CHECK(stands(stolen, 100, 400));       // at worst 300 to 100
  CHECK_FALSE(stands(stolen, 100, 210)); // at worst 110 to 100
  CHECK_FALSE(stands(stolen, 100, 90));  // less than the stolen time
  CHECK_FALSE(stands(stolen, 0, 400));   // nothing was measured
  CHECK(stands({1000 * ms, 0, 10 * ms, 100, 150, 20, 0}, 100, 190));
  CHECK_FALSE(stands({1000 * ms, 0, 10 * ms, 100, 150, 20, 0}, 100, 170)); // 1.2 times the drift
  CHECK_FALSE(stands({1000 * ms, 0, 10 * ms, 100, 100, 20, 11}, 100, 400));
  CHECK_FALSE(stands({1000 * ms, 50 * ms, 10 * ms, 100, 100, 20, 0, 200 * ms, 2}, 100, 360));
  // Each shape counts by its weight, not by its duration: four times ahead on one and far behind on another is no lead.
  CHECK_FALSE(stands_anyway(stolen, {}, {{1.0, 100 * ms, 5000 * ms}, {1.0, 8000 * ms, 300 * ms}}));
  CHECK(stands_anyway(stolen, {}, {{1.0, 100 * ms, 5000 * ms}, {1.0, 400 * ms, 300 * ms}}));
  CHECK_FALSE(stands_anyway(stolen, {}, {{1.0, 100 * ms, 5000 * ms}, {3.0, 400 * ms, 180 * ms}}));
  CHECK_FALSE(stands_anyway(stolen, {}, {}));
}

TEST_CASE("a kernel that leads by the typical call and loses by the sum is detected, and noise does not look like it") {
  session_noise w;
  w.wall_ns = 100e6;
  w.tick_ns = 10e6;
  const std::vector<side_by_side> tail{{1.0, 29e6, 1.8e6}}; // totals of 30 calls each
  CHECK(lead_in_sum(w, tail) == doctest::Approx(1.8 / 29));
  w.stolen_ns = 10e6;
  CHECK(lead_in_sum(w, tail) == doctest::Approx(1.8 / 19));
  w.stolen_ns = 28e6; // may all have hit the winner's calls
  CHECK(lead_in_sum(w, tail) > 1.0);
  w.foreign_ns = 5e6;
  CHECK(lead_in_sum(w, tail) > 1.0);
  const session_noise calm;
  CHECK(lead_in_sum(calm, {{1.0, 2e6, 4e6}, {1.0, 4e6, 2e6}}) == doctest::Approx(1.0));
  CHECK(lead_in_sum(calm, {{3.0, 2e6, 4e6}, {1.0, 4e6, 2e6}}) == doctest::Approx(std::sqrt(2.0)));
  CHECK(lead_in_sum(calm, {}) == 1.0);
}
