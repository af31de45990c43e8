#include "backends/llm/ledger/ledger.hpp"
#include "backends/llm/ledger/price.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace kevolve;
using namespace kevolve::llm;

namespace {

price_table table() {
  price_table t;
  t.version = "2026-11";
  t.currency = "USD";
  price cached;
  cached.input = 3.0;
  cached.output = 15.0;
  cached.cached_read = 0.3;
  cached.cache_write = 3.75;
  cached.cache_write_1h = 6.0;
  t.prices["claude-x"] = cached;
  price plain;
  plain.input = 1.0;
  plain.output = 2.0;
  t.prices["gpt-x*"] = plain;
  plain.input = 0.1;
  t.prices["gpt-x-mini*"] = plain;
  plain.input = 9.0;
  t.prices["gpt-x-mini@priority"] = plain;
  return t;
}

token_counts counts(std::optional<int64_t> in, std::optional<int64_t> out) {
  token_counts c;
  c.input = in;
  c.output = out;
  return c;
}

id128 call(uint64_t n) {
  return {0, n};
}

constexpr instant noon{milliseconds{int64_t{20'000} * 86'400'000 + 43'200'000}};

} // namespace

TEST_CASE("a cost depends on the kinds of tokens") {
  const auto t = table();
  auto used = counts(1'000'000, 100'000);
  used.cached_read = 500'000;
  used.cache_write = 200'000;
  used.cache_write_1h = 50'000;
  // 300k·3 + 500k·0.3 + 150k·3.75 + 50k·6 + 100k·15, each per million
  CHECK(cost_of(find_price(t, "claude-x", ""), used) == 3'412'500'000);
  CHECK(cost_of(find_price(t, "gpt-x-2026", ""), counts(1'000'000, 1'000'000)) == 3'000'000'000);
  CHECK(cost_of(find_price(t, "gpt-x", ""), counts(1, 0)) == 1'000);
  CHECK(cost_of(find_price(t, "gpt-x", ""), counts(0, 0)) == 0);
}

TEST_CASE("the longest matching entry is the price, and a tier needs its own") {
  const auto t = table();
  CHECK(find_price(t, "gpt-x-mini-1", "default")->input == 0.1);
  CHECK(find_price(t, "gpt-x-1", "standard")->input == 1.0);
  CHECK(find_price(t, "gpt-x-mini", "priority")->input == 9.0);
  CHECK(find_price(t, "gpt-x-1", "priority") == nullptr);
  CHECK(find_price(t, "gpt-x-mini@priority", "") == nullptr);
  CHECK(find_price(t, "claude-x-2", "") == nullptr);
  CHECK(find_price(t, "", "") == nullptr);
}

TEST_CASE("an unknown price or count is an unknown cost, never zero") {
  const auto t = table();
  CHECK_FALSE(cost_of(nullptr, counts(1, 1)).has_value());
  CHECK_FALSE(cost_of(find_price(t, "gpt-x", ""), counts(1, std::nullopt)).has_value());
  CHECK_FALSE(cost_of(find_price(t, "gpt-x", ""), counts(std::nullopt, 1)).has_value());
  CHECK_FALSE(worst_cost(nullptr, 1, 1).has_value());
}

TEST_CASE("contradictory counts never lower the cost") {
  const auto t = table();
  auto used = counts(100, 0);
  used.cached_read = 1'000'000;
  used.cache_write = 1'000'000;
  used.cache_write_1h = 2'000'000;
  CHECK(cost_of(find_price(t, "claude-x", ""), used) == 30'000);
}

TEST_CASE("absurd counts exceed every budget and do not overflow") {
  const auto t = table();
  const auto absurd = cost_of(find_price(t, "gpt-x", ""), counts(9'000'000'000'000'000, 9'000'000'000'000'000));
  REQUIRE(absurd);
  CHECK(*absurd >= 1'000'000'000'000'000'000);
}

TEST_CASE("the worst cost uses the dearest prices") {
  const auto t = table();
  CHECK(worst_cost(find_price(t, "claude-x", ""), 1'000, 100) == 6'000'000 + 1'500'000);
  auto used = counts(1'000, 100);
  used.cache_write = 1'000;
  used.cache_write_1h = 1'000;
  CHECK(cost_of(find_price(t, "claude-x", ""), used) == worst_cost(find_price(t, "claude-x", ""), 1'000, 100));
}

TEST_CASE("an invalid price is refused with its name") {
  auto t = table();
  CHECK(checked(t).has_value());
  t.prices["odd"].cached_read = -1.0;
  REQUIRE_FALSE(checked(t).has_value());
  CHECK(checked(t).error().detail.find("odd") != std::string::npos);
  t.prices["odd"].cached_read.reset();
  t.prices["odd"].output = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(checked(t).has_value());
}

TEST_CASE("a call is reserved at its worst case and settled at its usage") {
  ledger l;
  budget_rules rules;
  rules.total.money = 1'000;
  rules.total.tokens = 100;
  CHECK(reserve(l, rules, call(1), {40, 20, 700}, noon).has_value());
  CHECK(l.reserved.tokens == 60);
  const auto no = reserve(l, rules, call(2), {10, 10, 301}, noon);
  REQUIRE_FALSE(no.has_value());
  CHECK(no.error().code == errc::unavailable);
  CHECK(reserve(l, rules, call(2), {10, 10, 300}, noon).has_value());
  CHECK_FALSE(reserve(l, rules, call(3), {21, 0, 0}, noon).has_value());
  CHECK(l.open.size() == 2);
  const auto used = counts(30, 5);
  CHECK(settle(l, call(1), &used, 100).has_value());
  CHECK(l.spent.money == 100);
  CHECK(l.spent.tokens == 35);
  CHECK(l.spent.calls == 1);
  CHECK(l.reserved.money == 300);
  CHECK(reserve(l, rules, call(3), {45, 0, 600}, noon).has_value());
}

TEST_CASE("a call sent twice counts as two, also in its day") {
  ledger l;
  budget_rules rules;
  rules.per_day.calls = 3;
  CHECK(reserve(l, rules, call(1), {1, 1, 1}, noon).has_value());
  const auto used = counts(1, 1);
  CHECK(settle(l, call(1), &used, 1, 2).has_value());
  CHECK(l.spent.calls == 2);
  CHECK(reserve(l, rules, call(2), {1, 1, 1}, noon).has_value());
  CHECK_FALSE(reserve(l, rules, call(3), {1, 1, 1}, noon).has_value());
}

TEST_CASE("nothing is counted twice") {
  ledger l;
  const budget_rules rules;
  CHECK(reserve(l, rules, call(1), {1, 1, 1}, noon).has_value());
  CHECK(reserve(l, rules, call(1), {1, 1, 1}, noon).error().code == errc::conflict);
  const auto used = counts(1, 1);
  CHECK(settle(l, call(1), &used, 1).has_value());
  CHECK(settle(l, call(1), &used, 1).error().code == errc::not_found);
  CHECK(release(l, call(1)).error().code == errc::not_found);
  CHECK(l.spent.calls == 1);
}

TEST_CASE("a call never sent costs nothing, one that ended without usage its worst case") {
  ledger l;
  const budget_rules rules;
  CHECK(reserve(l, rules, call(1), {10, 10, 50}, noon).has_value());
  CHECK(release(l, call(1)).has_value());
  CHECK(l.spent.calls == 0);
  CHECK(l.reserved.tokens == 0);
  CHECK(reserve(l, rules, call(2), {10, 10, 50}, noon).has_value());
  CHECK(settle(l, call(2), nullptr, std::nullopt).has_value());
  CHECK(l.spent.money == 50);
  CHECK(l.spent.tokens == 20);
  CHECK(l.estimated_calls == 1);
  CHECK(l.unpriced_calls == 0);
}

TEST_CASE("a call without a price counts its tokens and is recorded as unpriced") {
  ledger l;
  budget_rules rules;
  rules.total.tokens = 100;
  rules.total.money = 5;
  CHECK(reserve(l, rules, call(1), {60, 0, std::nullopt}, noon).has_value());
  CHECK_FALSE(reserve(l, rules, call(2), {41, 0, std::nullopt}, noon).has_value());
  const auto used = counts(50, 5);
  CHECK(settle(l, call(1), &used, std::nullopt).has_value());
  CHECK(l.spent.money == 0);
  CHECK(l.spent.tokens == 55);
  CHECK(l.unpriced_calls == 1);
  CHECK(l.unpriced_tokens == 55);
  rules.require_known_price = true;
  CHECK(reserve(l, rules, call(2), {1, 0, std::nullopt}, noon).error().detail.find("price") != std::string::npos);
}

TEST_CASE("a daily budget is restored on the next day of UTC") {
  ledger l;
  budget_rules rules;
  rules.per_day.calls = 2;
  CHECK(reserve(l, rules, call(1), {1, 1, 1}, noon).has_value());
  const auto used = counts(1, 1);
  CHECK(settle(l, call(1), &used, 1).has_value());
  CHECK(reserve(l, rules, call(2), {1, 1, 1}, noon).has_value());
  const auto no = reserve(l, rules, call(3), {1, 1, 1}, noon);
  REQUIRE_FALSE(no.has_value());
  CHECK(no.error().detail.find("UTC") != std::string::npos);
  CHECK(exhausted(l, rules, noon).has_value());
  const auto last_moment = noon + milliseconds{43'200'000 - 1};
  CHECK_FALSE(reserve(l, rules, call(3), {1, 1, 1}, last_moment).has_value());
  const auto midnight = last_moment + milliseconds{1};
  CHECK_FALSE(exhausted(l, rules, midnight).has_value());
  CHECK(reserve(l, rules, call(3), {1, 1, 1}, midnight).has_value());
  // The call began on the day before and counts there.
  CHECK(settle(l, call(2), &used, 1).has_value());
  CHECK(l.by_day[day_of(noon)].calls == 2);
  CHECK(reserve(l, rules, call(4), {1, 1, 1}, midnight).has_value());
  CHECK_FALSE(reserve(l, rules, call(5), {1, 1, 1}, midnight).has_value());
}

TEST_CASE("absurd figures saturate instead of overflowing") {
  ledger l;
  const budget_rules rules;
  const auto most = std::numeric_limits<int64_t>::max();
  for (uint64_t n = 1; n <= 20; ++n) {
    CHECK(reserve(l, rules, call(n), {most, most, most}, noon).has_value());
    const auto used = counts(most, most);
    CHECK(settle(l, call(n), &used, most).has_value());
  }
  CHECK(l.spent.money > 0);
  CHECK(l.spent.tokens > 0);
  budget_rules capped;
  capped.total.tokens = most;
  const auto negative = counts(-5, -5);
  ledger fresh;
  CHECK(reserve(fresh, capped, call(1), {-5, -5, -5}, noon).has_value());
  CHECK(settle(fresh, call(1), &negative, -5).has_value());
  CHECK(fresh.spent.tokens == 0);
  CHECK(fresh.spent.money == 0);
}
