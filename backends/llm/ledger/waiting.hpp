// Parses the waiting times that servers ask for and computes our own back-off. Callers pass the time.
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
using instant = std::chrono::sys_time<milliseconds>; // wall clock, because servers name points in time

using header_list = std::vector<std::pair<std::string, std::string>>; // in the order received
// Returns the value of the first header with that name, ignoring case; null if there is none.
const std::string* find_header(const header_list& headers, std::string_view name);

// Parses "12ms", "1s", "6m0s", "1h2m3.5s", "-1s" and plain "7" (seconds). Returns null for anything else.
std::optional<milliseconds> parse_duration(std::string_view text);
// Parses the three forms of HTTP dates and RFC 3339 dates. Returns null for anything else and for days that do not
// exist.
std::optional<instant> parse_date(std::string_view text);

// Returns the wait that the server asks for, at most a day; null if it asks for none or the time has passed. Reads
// retry-after-ms, else retry-after (seconds, duration or date), else a hint in the body ("try again in 1.2s", Gemini's
// "retryDelay"). Dates are compared with the answer's own `date` header if it has one, so a wrong local clock does no
// harm.
std::optional<milliseconds> requested_wait(const header_list& headers, std::string_view body, instant now);

struct backoff_rules {
  milliseconds first{500};
  milliseconds most{8'000};
};
// Returns a back-off with full jitter: uniform between 0 and min(most, first·2^attempt), derived from `seed`. Attempts
// count from 0.
milliseconds backoff(uint32_t attempt, uint64_t seed, const backoff_rules& rules = {});

} // namespace kevolve::llm
