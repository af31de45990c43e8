#include "backends/llm/ledger/breaker.hpp"
#include "backends/llm/ledger/pacing.hpp"

#include <doctest/doctest.h>

using namespace kevolve::llm;

namespace {

constexpr instant start{milliseconds{784'111'777'000}}; // 1994-11-06T08:49:37Z

milliseconds ms(int64_t n) {
  return milliseconds{n};
}

} // namespace

TEST_CASE("OpenAI's rate headers delay a call until there is room") {
  pacing_state s;
  observe(s,
          {{"x-ratelimit-limit-requests", "60"},
           {"x-ratelimit-remaining-requests", "1"},
           {"x-ratelimit-reset-requests", "1s"},
           {"X-RateLimit-Limit-Tokens", "1000"},
           {"X-RateLimit-Remaining-Tokens", "100"},
           {"X-RateLimit-Reset-Tokens", "6m0s"}},
          start, {64.0, ms(400'000)});
  const pacing_rules rules{64.0, ms(400'000)};
  CHECK(wait_before(s, {50, 50}, start, rules) == ms(0));
  CHECK(wait_before(s, {50, 51}, start, rules) == ms(360'000));
  sent(s, {50, 0}, start);
  CHECK(wait_before(s, {1, 0}, start, rules) == ms(1'000)); // no request is left
  CHECK(wait_before(s, {1, 0}, start + ms(999), rules) == ms(1));
  CHECK(wait_before(s, {1, 0}, start + ms(1'000), rules) == ms(0));
  CHECK(wait_before(s, {51, 0}, start + ms(1'000), rules) == ms(359'000));
}

TEST_CASE("Anthropic's rate headers are points in time on the server's clock") {
  pacing_state s;
  const header_list headers{{"date", "Sun, 06 Nov 1994 08:00:00 GMT"}, // our clock is fast
                            {"anthropic-ratelimit-input-tokens-limit", "1000"},
                            {"anthropic-ratelimit-input-tokens-remaining", "10"},
                            {"anthropic-ratelimit-input-tokens-reset", "1994-11-06T08:00:30Z"},
                            {"anthropic-ratelimit-output-tokens-limit", "500"},
                            {"anthropic-ratelimit-output-tokens-remaining", "0"},
                            {"anthropic-ratelimit-output-tokens-reset", "1994-11-06T08:00:05Z"}};
  observe(s, headers, start);
  CHECK(wait_before(s, {11, 0}, start) == ms(30'000));
  CHECK(wait_before(s, {10, 1}, start) == ms(5'000));
  CHECK(wait_before(s, {10, 0}, start) == ms(0));
  // A call larger than any window waits for a full one and is then tried.
  CHECK(wait_before(s, {5'000, 0}, start + ms(30'000)) == ms(0));
}

TEST_CASE("a window that has reset is full until the next answer") {
  pacing_state s;
  observe(s,
          {{"x-ratelimit-limit-requests", "2"},
           {"x-ratelimit-remaining-requests", "0"},
           {"x-ratelimit-reset-requests", "1s"}},
          start);
  CHECK(wait_before(s, {}, start) == ms(1'000));
  sent(s, {}, start + ms(1'000));
  CHECK(s.windows["requests"].remaining == 1);
}

TEST_CASE("invalid rate headers change little or nothing") {
  pacing_state s;
  for (const header_list& headers :
       {header_list{{"x-ratelimit-remaining-requests", "x"}, {"x-ratelimit-reset-requests", "1s"}},
        header_list{{"x-ratelimit-remaining-requests", "0"}},
        header_list{{"x-ratelimit-remaining-requests", "0"}, {"x-ratelimit-reset-requests", "later"}},
        header_list{{"x-ratelimit-reset-requests", "1s"}}})
    observe(s, headers, start);
  CHECK(s.windows.empty());
  observe(s, {{"x-ratelimit-remaining-requests", "0"}, {"x-ratelimit-reset-requests", "300d"}}, start);
  CHECK(wait_before(s, {}, start) == pacing_rules{}.longest_rest);
  observe(s, {{"x-ratelimit-remaining-requests", "0"}, {"x-ratelimit-reset-requests", "784111787"}}, start);
  CHECK(wait_before(s, {}, start) == ms(10'000)); // in seconds since the epoch
}

TEST_CASE("the concurrency limit grows slowly and is halved once for simultaneous refusals") {
  pacing_state s;
  s.at_once = 8;
  for (int i = 0; i < 8; ++i) {
    CHECK(wait_before(s, {}, start) == ms(0));
    sent(s, {}, start);
  }
  CHECK_FALSE(wait_before(s, {}, start).has_value()); // the limit is reached until a call ends
  failed(s, true, ms(2'000), start);
  failed(s, true, std::nullopt, start + ms(10));
  CHECK(s.at_once == doctest::Approx(4));
  CHECK(s.in_flight == 6);
  failed(s, true, std::nullopt, start + ms(1'500));
  CHECK(s.at_once == doctest::Approx(2));
  failed(s, false, std::nullopt, start + ms(5'000));
  CHECK(s.at_once == doctest::Approx(2));
  for (int i = 0; i < 4; ++i)
    succeeded(s);
  CHECK(s.in_flight == 0);
  CHECK(s.at_once > 3.0);
  CHECK(s.at_once < 4.0);
  CHECK(wait_before(s, {}, start + ms(500)) == ms(1'500)); // the wait that the refusal asked for
  for (int i = 0; i < 100'000; ++i)
    succeeded(s);
  CHECK(s.at_once == doctest::Approx(64));
  for (int i = 0; i < 40; ++i)
    failed(s, true, std::nullopt, start + ms(10'000 * (i + 1)));
  CHECK(s.at_once == doctest::Approx(1));
  CHECK(wait_before(s, {}, start + ms(1'000'000)).has_value()); // one call is always allowed
}

TEST_CASE("the concurrency limit doubles with each full round, until the first refusal") {
  pacing_state s;
  const auto round = [&](int calls) {
    for (int i = 0; i < calls; ++i)
      sent(s, {}, start);
    for (int i = 0; i < calls; ++i)
      succeeded(s);
  };
  round(1);
  CHECK(s.at_once == doctest::Approx(8)); // single calls do not raise the limit
  round(8);
  CHECK(s.at_once >= 11.0);
  for (int i = 0; i < 8; ++i)
    round(static_cast<int>(s.at_once));
  CHECK(s.at_once == doctest::Approx(64));
  failed(s, true, std::nullopt, start + ms(5'000));
  round(32);
  CHECK(s.at_once < 33.1);
}

TEST_CASE("a breaker opens after consecutive failures and lets one probe through") {
  breaker b;
  const breaker_rules rules{3, ms(100), ms(350), ms(50)};
  for (int i = 0; i < 2; ++i)
    failed(b, *admit(b, start, rules), start, rules);
  answered(b, *admit(b, start, rules)); // counts consecutive failures
  for (int i = 0; i < 3; ++i) {
    CHECK(b.phase == breaker_phase::closed);
    failed(b, *admit(b, start, rules), start, rules);
  }
  CHECK(b.phase == breaker_phase::open);
  CHECK_FALSE(admit(b, start + ms(99), rules).has_value());
  CHECK(opens_at(b, start) == start + ms(100));
  const auto probe = admit(b, start + ms(100), rules);
  REQUIRE(probe.has_value());
  CHECK_FALSE(admit(b, start + ms(101), rules).has_value());
  answered(b, *probe);
  CHECK(b.phase == breaker_phase::closed);
  CHECK(admit(b, start + ms(102), rules).has_value());
}

TEST_CASE("the blocked time doubles up to a limit and restarts after a success") {
  breaker b;
  const breaker_rules rules{1, ms(100), ms(350), ms(50)};
  auto now = start;
  failed(b, *admit(b, now, rules), now, rules);
  for (int64_t rest : {100, 200, 350, 350}) {
    CHECK(opens_at(b, now) == now + ms(rest));
    now += ms(rest);
    failed(b, *admit(b, now, rules), now, rules);
  }
  now += ms(350);
  answered(b, *admit(b, now, rules));
  failed(b, *admit(b, now, rules), now, rules);
  CHECK(opens_at(b, now) == now + ms(100));
}

TEST_CASE("answers to calls from before a change of phase change nothing") {
  breaker b;
  const breaker_rules rules{1, ms(100), ms(1'000), ms(50)};
  const auto old = *admit(b, start, rules);
  failed(b, *admit(b, start, rules), start, rules);
  answered(b, old); // late success of a call that began before
  CHECK(b.phase == breaker_phase::open);
  const auto probe = *admit(b, start + ms(100), rules);
  failed(b, old, start + ms(101), rules);
  CHECK(b.phase == breaker_phase::half_open);
  // A probe without an answer counts as lost, and its late answer is ignored.
  CHECK_FALSE(admit(b, start + ms(149), rules).has_value());
  const auto second = admit(b, start + ms(150), rules);
  REQUIRE(second.has_value());
  failed(b, probe, start + ms(151), rules);
  CHECK(b.phase == breaker_phase::half_open);
  withdrawn(b, *second);
  CHECK(admit(b, start + ms(152), rules).has_value());
}
