// How long a server asks to wait, in all the forms in use, and how long we wait of our own accord. Virtual time: every
// function is told what time it is.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kevolve::llm {

using milliseconds = std::chrono::milliseconds;
using instant = std::chrono::sys_time<milliseconds>; // the wall clock: servers name points in time

using header_list = std::vector<std::pair<std::string, std::string>>; // as received
// The first of that name, whatever its case; null: none.
const std::string* find_header(const header_list& headers, std::string_view name);

// "12ms", "1s", "6m0s", "1h2m3.5s", "-1s" and plain "7" (seconds); null: none of these.
std::optional<milliseconds> parse_duration(std::string_view text);
// The three forms of HTTP dates and RFC 3339's; null: none of these or no such day.
std::optional<instant> parse_date(std::string_view text);

// What the server asks for: retry-after-ms, else retry-after as seconds, duration or date, else a hint in the body
// ("try again in 1.2s", Gemini's "retryDelay"). Dates are taken against the answer's own `date` header if there is one,
// so that a clock that is wrong does no harm. At most a day. Null: nothing, or nothing that lies ahead.
std::optional<milliseconds> requested_wait(const header_list& headers, std::string_view body, instant now);

struct backoff_rules {
  milliseconds first{500};
  milliseconds most{8'000};
};
// Full jitter: anywhere between 0 and min(most, first·2^attempt), decided by `seed`. Attempts count from 0.
milliseconds backoff(uint32_t attempt, uint64_t seed, const backoff_rules& rules = {});

} // namespace kevolve::llm
