#include "actors/search/termination.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace kevolve;

namespace {

termination_rules all_rules() {
  return {8.0, 300, 120.0, 60.0, 5'000, 2.5, 80};
}

campaign_progress underway() {
  campaign_progress p;
  p.best_ci_low = 7.9;
  p.candidates = 299;
  p.valid_since_best = 79;
  p.wall_s = 119.9;
  p.device_s = 59.9;
  p.tokens = 4'999;
  p.cost = 2.4;
  p.exhausted_in_a_row = 3;
  return p;
}

} // namespace

TEST_CASE("a campaign continues while no limit is reached") {
  CHECK(!should_stop(all_rules(), underway()).stop);
  CHECK(should_stop(all_rules(), underway()).reason == end_reason::none);
}

TEST_CASE("each limit ends it, with its reason and a text for people") {
  struct example {
    void (*change)(campaign_progress&);
    end_reason reason;
    const char* detail;
  };
  for (const auto& x : std::vector<example>{
           {[](campaign_progress& p) { p.cancelled = true; }, end_reason::cancelled, "cancelled on request"},
           {[](campaign_progress& p) { p.best_ci_low = 8.0; }, end_reason::target,
            "by its screenings the best is at least 8 times as fast, wanted was 8"},
           {[](campaign_progress& p) { p.candidates = 300; }, end_reason::budget, "300 candidates are used up"},
           {[](campaign_progress& p) { p.wall_s = 120.0; }, end_reason::budget, "120 s of wall time are used up"},
           {[](campaign_progress& p) { p.device_s = 60.0; }, end_reason::budget, "60 s of device time are used up"},
           {[](campaign_progress& p) { p.tokens = 5'000; }, end_reason::budget,
            "the budget of 5000 tokens for language models is used up"},
           {[](campaign_progress& p) { p.cost = 2.5; }, end_reason::budget,
            "the budget of 2.5 (money) for language models is used up"},
           {[](campaign_progress& p) { p.valid_since_best = 80; }, end_reason::stall,
            "80 valid candidates without an improvement"},
           {[](campaign_progress& p) { p.exhausted_in_a_row = 32; }, end_reason::stall,
            "no generator had anything left to propose 32 times in a row"},
       }) {
    auto p = underway();
    x.change(p);
    auto d = should_stop(all_rules(), p);
    CHECK(d.stop);
    CHECK(d.reason == x.reason);
    CHECK(d.detail == x.detail);
  }
}

TEST_CASE("a limit of zero means no limit") {
  auto p = underway();
  p.best_ci_low = 1e9;
  p.candidates = 1'000'000;
  p.wall_s = p.device_s = p.cost = 1e9;
  p.tokens = 1'000'000'000;
  p.valid_since_best = 1'000'000;
  CHECK(!should_stop({}, p).stop);
}

TEST_CASE("cancelling precedes the target, the target the budget, the budget the stall") {
  auto p = underway();
  p.valid_since_best = 80;
  CHECK(should_stop(all_rules(), p).reason == end_reason::stall);
  p.candidates = 300;
  CHECK(should_stop(all_rules(), p).reason == end_reason::budget);
  p.best_ci_low = 9.0;
  CHECK(should_stop(all_rules(), p).reason == end_reason::target);
  p.cancelled = true;
  CHECK(should_stop(all_rules(), p).reason == end_reason::cancelled);
}

TEST_CASE("a campaign whose wall time is over waits for its last results, with a limit") {
  CHECK(is_over({.beyond_s = 0.0, .preparing = true}));
  CHECK_FALSE(is_over({.beyond_s = 1.0}));
  CHECK_FALSE(is_over({.beyond_s = 1.0, .preparing = true, .has_best = true})); // to be confirmed
  CHECK_FALSE(is_over({.beyond_s = 29.0, .stuck = true}));                      // other campaigns take turns
  CHECK(is_over({.beyond_s = 30.0, .stuck = true}));
  CHECK_FALSE(is_over({.beyond_s = 31.0, .has_best = true}));
  CHECK(is_over({.beyond_s = 300.0, .has_best = true}));
}
