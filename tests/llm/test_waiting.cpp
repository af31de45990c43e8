#include "backends/llm/ledger/waiting.hpp"
#include "backends/llm/protocol/failure.hpp"
#include "backends/llm/protocol/watchdog.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace kevolve::llm;

namespace {

std::optional<int64_t> duration_ms(std::string_view text) {
  const auto d = parse_duration(text);
  return d ? std::optional<int64_t>{d->count()} : std::nullopt;
}

std::optional<int64_t> date_ms(std::string_view text) {
  const auto d = parse_date(text);
  return d ? std::optional<int64_t>{d->time_since_epoch().count()} : std::nullopt;
}

} // namespace

TEST_CASE("durations in all forms in use") {
  CHECK(duration_ms("7") == 7'000);
  CHECK(duration_ms(" 0.25 ") == 250);
  CHECK(duration_ms("12ms") == 12);
  CHECK(duration_ms("1s") == 1'000);
  CHECK(duration_ms("6m0s") == 360'000);
  CHECK(duration_ms("1h2m3.5s") == 3'723'500);
  CHECK(duration_ms("1m30s") == 90'000);
  CHECK(duration_ms("2d") == 172'800'000);
  CHECK(duration_ms("500us") == 1);
  CHECK(duration_ms("-1s") == -1'000);
  CHECK(duration_ms("0") == 0);
  for (const char* bad :
       {"", " ", "s", "1x", "1s2", "--1", "1 s", "inf", "nan", "1e3", "0x10", "1e400", "99999999999", "+1", "1,5"})
    CHECK_MESSAGE(!duration_ms(bad).has_value(), bad);
}

TEST_CASE("dates in all forms in use") {
  constexpr int64_t known = 784'111'777'000; // the example of RFC 9110
  CHECK(date_ms("Sun, 06 Nov 1994 08:49:37 GMT") == known);
  CHECK(date_ms("Sunday, 06-Nov-94 08:49:37 GMT") == known);
  CHECK(date_ms("Sun Nov  6 08:49:37 1994") == known);
  CHECK(date_ms("1994-11-06T08:49:37Z") == known);
  CHECK(date_ms("1994-11-06T08:49:37.25Z") == known + 250);
  CHECK(date_ms("1994-11-06T09:49:37+01:00") == known);
  CHECK(date_ms("1994-11-06T03:19:37-05:30") == known);
  CHECK(date_ms("Tue, 29 Feb 2028 00:00:00 GMT").has_value());
  for (const char* bad :
       {"", "now", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "1994-11-06T08:49:37",
        "1994-13-06T08:49:37Z", "1994-11-06T08:49:37.Z", "1994-11-06T08:49:37+1:00", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 06 Nov 1994 0849:37 GMT", "1994-11-06T08:49:37Zx"})
    CHECK_MESSAGE(!date_ms(bad).has_value(), bad);
}

TEST_CASE("a requested wait is at most a day") {
  const instant now{milliseconds{1'700'000'000'000}};
  const milliseconds day{86'400'000};
  for (const char* asked : {"Fri, 31 Dec 9999 23:59:59 GMT", "34000000", "Tue, 01 Jan 2600 00:00:00 GMT"})
    CHECK_MESSAGE(requested_wait({{"retry-after", asked}}, "", now) == day, asked);
}

TEST_CASE("header names are case-insensitive") {
  const header_list headers{{"Retry-After", "1"}, {"retry-after", "2"}};
  CHECK(*find_header(headers, "RETRY-AFTER") == "1");
  CHECK(find_header(headers, "retry") == nullptr);
}

TEST_CASE("back-off is bounded, spread, and reproducible by its seed") {
  const backoff_rules rules{milliseconds{500}, milliseconds{8'000}};
  for (uint32_t attempt = 0; attempt < 40; ++attempt) {
    const auto bound = std::min<int64_t>(8'000, attempt > 10 ? 8'000 : int64_t{500} << attempt);
    int64_t least = bound;
    int64_t most = 0;
    for (uint64_t seed = 0; seed < 200; ++seed) {
      const auto wait = backoff(attempt, seed, rules).count();
      CHECK(wait == backoff(attempt, seed, rules).count());
      CHECK(wait >= 0);
      CHECK(wait <= bound);
      least = std::min(least, wait);
      most = std::max(most, wait);
    }
    CHECK(least < bound / 10);
    CHECK(most > bound * 9 / 10);
  }
  std::set<int64_t> different;
  for (uint32_t attempt = 5; attempt < 25; ++attempt)
    different.insert(backoff(attempt, 1, rules).count());
  CHECK(different.size() > 15);
}

TEST_CASE("a stream is given up by its content, not by its bytes") {
  const watchdog_limits limits{milliseconds{100}, milliseconds{10}, milliseconds{1'000}};
  const instant start{milliseconds{50}};
  auto w = watch(start);
  CHECK(deadline(w, limits) == start + milliseconds{100});
  CHECK(judge(w, start + milliseconds{99}, limits) == watchdog_verdict::waiting);
  CHECK(judge(w, start + milliseconds{100}, limits) == watchdog_verdict::no_content);
  saw_content(w, start + milliseconds{90});
  CHECK(judge(w, start + milliseconds{99}, limits) == watchdog_verdict::waiting);
  CHECK(judge(w, start + milliseconds{100}, limits) == watchdog_verdict::gone_silent);
  saw_content(w, start + milliseconds{995});
  CHECK(deadline(w, limits) == start + milliseconds{1'000});
  CHECK(judge(w, start + milliseconds{1'000}, limits) == watchdog_verdict::too_long);
}
