#include "backends/llm/ledger/routing.hpp"
#include "backends/llm/protocol/logical_call.hpp"

#include <doctest/doctest.h>

using namespace kevolve::llm;

namespace {

constexpr instant start{milliseconds{1'000'000}};

milliseconds ms(int64_t n) {
  return milliseconds{n};
}

std::vector<provider_health> two() {
  std::vector<provider_health> out(2);
  out[0].name = "a";
  out[1].name = "b";
  return out;
}

remedy made(failure_class what, failure_action action, std::optional<milliseconds> delay = std::nullopt) {
  return {what, action, delay, "words of " + to_string(what)};
}

} // namespace

TEST_CASE("calls go to the first provider that accepts them") {
  const auto ps = two();
  const auto r = choose(ps, {}, {}, start);
  CHECK(r.provider == 0);
  CHECK(r.trail.empty());
  const auto next = choose(ps, {0}, {}, start);
  CHECK(next.provider == 1);
  REQUIRE(next.trail.size() == 1);
  CHECK(next.trail[0].provider == "a");
  const auto none = choose(ps, {0, 1}, {}, start);
  CHECK_FALSE(none.provider.has_value());
  CHECK_FALSE(none.wait.has_value());
  CHECK_FALSE(none.one_lands);
  CHECK(none.trail.size() == 2);
}

TEST_CASE("a provider on hold is skipped until a person resumes it") {
  auto ps = two();
  const auto epoch = send(ps[0], {}, start).value();
  ended_badly(ps[0], epoch, made(failure_class::quota_exhausted, failure_action::hold_provider), {}, start);
  const auto much_later = start + ms(int64_t{1} << 40);
  auto r = choose(ps, {}, {}, much_later);
  CHECK(r.provider == 1);
  CHECK(r.trail[0].reason.find("words of quota_exhausted") != std::string::npos);
  CHECK_FALSE(send(ps[0], {}, much_later).has_value());
  // A later report of an older call does not shorten the hold.
  ended_badly(ps[0], epoch, made(failure_class::rate_limited, failure_action::next_provider, ms(1)), {}, start);
  CHECK(choose(ps, {}, {}, much_later).provider == 1);
  r = choose(ps, {1}, {}, much_later);
  CHECK_FALSE(r.provider.has_value());
  CHECK_FALSE(r.wait.has_value());
  resume(ps[0]);
  CHECK(choose(ps, {}, {}, much_later).provider == 0);
}

TEST_CASE("a provider that asks for a long wait is suspended meanwhile") {
  auto ps = two();
  const auto epoch = send(ps[0], {}, start).value();
  ended_badly(ps[0], epoch, made(failure_class::server_error, failure_action::next_provider, ms(600'000)), {}, start);
  CHECK(choose(ps, {}, {}, start + ms(599'999)).provider == 1);
  const auto alone = choose(ps, {1}, {}, start + ms(599'000));
  CHECK_FALSE(alone.provider.has_value());
  CHECK(alone.wait == ms(1'000));
  CHECK(choose(ps, {}, {}, start + ms(600'000)).provider == 0);
  CHECK(send(ps[0], {}, start + ms(600'000)).has_value());
}

TEST_CASE("a provider's failures open the breaker, rejected requests do not") {
  auto ps = two();
  for (int i = 0; i < 10; ++i)
    for (const auto what : {failure_class::context_too_long, failure_class::content_refused, failure_class::bad_request,
                            failure_class::rate_limited}) {
      const auto epoch = send(ps[0], {}, start).value();
      ended_badly(ps[0], epoch, made(what, failure_action::never), {}, start);
    }
  CHECK(choose(ps, {}, {}, start).provider == 0);
  for (const auto what : {failure_class::network, failure_class::cut, failure_class::stalled}) {
    CHECK(choose(ps, {}, {}, start).provider == 0);
    const auto epoch = send(ps[0], {}, start).value();
    ended_badly(ps[0], epoch, made(what, failure_action::retry), {}, start);
  }
  CHECK(choose(ps, {}, {}, start).provider == 1);
  CHECK(choose(ps, {1}, {}, start).wait == ps[0].rules.breaking.rest);
  // The provider is used again after its probe.
  const auto later = start + ps[0].rules.breaking.rest;
  CHECK(choose(ps, {}, {}, later).provider == 0);
  const auto probe = send(ps[0], {}, later).value();
  CHECK(choose(ps, {}, {}, later).provider == 1);
  ended_well(ps[0], probe, {}, later);
  CHECK(choose(ps, {}, {}, later).provider == 0);
  CHECK(ps[0].pacing.in_flight == 0);
}

TEST_CASE("a call waits for the shortest time, or for the end of a call in flight") {
  auto ps = two();
  const header_list slow{{"x-ratelimit-remaining-requests", "0"}, {"x-ratelimit-reset-requests", "30s"}};
  const header_list quick{{"x-ratelimit-remaining-requests", "0"}, {"x-ratelimit-reset-requests", "5s"}};
  ended_well(ps[0], send(ps[0], {}, start).value(), slow, start);
  ended_well(ps[1], send(ps[1], {}, start).value(), quick, start);
  auto r = choose(ps, {}, {}, start);
  CHECK_FALSE(r.provider.has_value());
  CHECK(r.wait == ms(5'000));
  CHECK_FALSE(r.one_lands);
  ps = two();
  ps.resize(1);
  ps[0].pacing.at_once = 1;
  const auto epoch = send(ps[0], {}, start).value();
  r = choose(ps, {}, {}, start);
  CHECK(r.one_lands);
  CHECK_FALSE(r.wait.has_value());
  ended_unheard(ps[0], epoch);
  CHECK(choose(ps, {}, {}, start).provider == 0);
}

TEST_CASE("a request is repeated, sent to another provider or given up") {
  call_rules rules;
  rules.failing.most_attempts = 3;
  rules.limit = ms(60'000);
  logical_call call;
  call.begun = start;
  call.seed = 5;
  auto now = start;
  for (int i = 0; i < 2; ++i) {
    const auto d =
        after_failure(call, 0, made(failure_class::rate_limited, failure_action::retry, ms(1'000)), now, rules);
    CHECK(d.step == call_step::send_again);
    CHECK(d.at >= now + ms(1'000));
    CHECK(d.at <= now + ms(2'000));
    now = d.at;
  }
  CHECK(call.tried.empty());
  auto d = after_failure(call, 0, made(failure_class::rate_limited, failure_action::retry, ms(1'000)), now, rules);
  CHECK(d.step == call_step::send_elsewhere);
  CHECK(call.tried == std::set<size_t>{0});
  // Attempts at another provider are counted separately.
  d = after_failure(call, 1, made(failure_class::cut, failure_action::retry), now, rules);
  CHECK(d.step == call_step::send_again);
  d = after_failure(call, 1, made(failure_class::auth, failure_action::hold_provider), now, rules);
  CHECK(d.step == call_step::send_elsewhere);
  CHECK(call.tried == std::set<size_t>{0, 1});
  d = after_failure(call, 2, made(failure_class::bad_request, failure_action::never), now, rules);
  CHECK(d.step == call_step::give_up);
  CHECK(d.reason.find("bad_request") != std::string::npos);
  CHECK(call.trail.size() == 6);
  CHECK(call.trail[5].provider == 2);
}

TEST_CASE("a request ends at its time limit") {
  call_rules rules;
  rules.limit = ms(10'000);
  logical_call call;
  call.begun = start;
  auto d = after_failure(call, 0, made(failure_class::overloaded, failure_action::retry, ms(10'000)), start, rules);
  CHECK(d.step == call_step::send_elsewhere); // the wait alone exceeds the limit
  d = after_failure(call, 1, made(failure_class::overloaded, failure_action::retry), start + ms(10'000), rules);
  CHECK(d.step == call_step::give_up);
  CHECK(d.reason.find("time") != std::string::npos);
}
