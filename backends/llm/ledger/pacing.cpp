#include "backends/llm/ledger/pacing.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace kevolve::llm {

namespace {

std::optional<int64_t> read_count(const std::string* text) {
  if (text == nullptr)
    return std::nullopt;
  int64_t value = 0;
  const auto* last = text->data() + text->size();
  const auto read = std::from_chars(text->data(), last, value);
  if (text->empty() || read.ec != std::errc{} || read.ptr != last)
    return std::nullopt;
  return std::max<int64_t>(value, 0);
}

// Anthropic sends a point in time, OpenAI a duration, some compatible servers seconds since the epoch.
std::optional<instant> read_reset(const std::string* text, instant their_now, instant now) {
  if (text == nullptr)
    return std::nullopt;
  if (const auto date = parse_date(*text))
    return now + (*date - their_now);
  const auto wait = parse_duration(*text);
  constexpr milliseconds a_year{int64_t{365} * 24 * 3600 * 1000};
  if (wait && *wait < a_year)
    return now + *wait;
  if (const auto since_epoch = read_count(text)) {
    // In seconds, this is the year 5138; a larger number is in milliseconds.
    constexpr int64_t least_ms = 100'000'000'000;
    const milliseconds point{*since_epoch < least_ms ? *since_epoch * 1000 : *since_epoch};
    return now + (instant{point} - their_now);
  }
  return std::nullopt;
}

int64_t cost_in(const std::string& window, const call_size& size) {
  if (window == "requests")
    return 1;
  if (window == "input-tokens")
    return size.input_tokens;
  if (window == "output-tokens")
    return size.output_tokens;
  return size.input_tokens + size.output_tokens;
}

void landed(pacing_state& s) {
  s.in_flight = std::max<int64_t>(0, s.in_flight - 1);
}

} // namespace

std::optional<milliseconds> wait_before(const pacing_state& s, const call_size& size, instant now,
                                        const pacing_rules& rules) {
  if (static_cast<double>(s.in_flight) >= std::max(1.0, std::min(s.at_once, rules.most_at_once)))
    return std::nullopt;
  auto wait = std::max(milliseconds{0}, s.not_before - now);
  for (const auto& [name, window] : s.windows) {
    if (window.resets <= now)
      continue;
    // A call larger than the whole limit would wait for ever. It waits for a full window and lets the server decide.
    const auto cost = std::min(cost_in(name, size), std::max<int64_t>(window.limit, 1));
    if (window.remaining < cost)
      wait = std::max(wait, std::min(window.resets - now, rules.longest_rest));
  }
  return wait;
}

void sent(pacing_state& s, const call_size& size, instant now) {
  ++s.in_flight;
  for (auto& [name, window] : s.windows) {
    if (window.resets <= now) {
      window.remaining = window.limit; // unknown until the next answer reports when the window is full again
      window.resets = instant{};
    }
    window.remaining = std::max<int64_t>(0, window.remaining - cost_in(name, size));
  }
}

void observe(pacing_state& s, const header_list& headers, instant now, const pacing_rules& rules) {
  const auto* date = find_header(headers, "date");
  const auto their_now = date == nullptr ? now : parse_date(*date).value_or(now);
  for (const std::string name : {"requests", "tokens", "input-tokens", "output-tokens"}) {
    for (const std::string prefix : {"anthropic-ratelimit-", "x-ratelimit-"}) {
      const auto header = [&](const std::string& what) {
        return find_header(headers, prefix == "x-ratelimit-" ? prefix + what + "-" + name : prefix + name + "-" + what);
      };
      const auto remaining = read_count(header("remaining"));
      const auto resets = read_reset(header("reset"), their_now, now);
      if (!remaining || !resets)
        continue;
      auto& window = s.windows[name];
      window.limit = std::max(*remaining, read_count(header("limit")).value_or(std::max(window.limit, *remaining)));
      window.remaining = *remaining;
      window.resets = std::min(*resets, now + rules.longest_rest);
    }
  }
}

void succeeded(pacing_state& s, const pacing_rules& rules) {
  const bool full = 2.0 * static_cast<double>(s.in_flight) >= s.at_once; // otherwise the limit was not exercised
  landed(s);
  const bool pushed_back = s.last_decrease != instant{};
  if (full || pushed_back)
    s.at_once = std::min(rules.most_at_once, s.at_once + (pushed_back ? 1.0 / std::max(1.0, s.at_once) : 1.0));
}

void failed(pacing_state& s, bool pushed_back, std::optional<milliseconds> wait, instant now,
            const pacing_rules& rules) {
  landed(s);
  if (!pushed_back)
    return;
  // Calls in flight are often refused together; they cause one decrease.
  constexpr milliseconds one_crowd{1'000};
  if (now - s.last_decrease >= one_crowd) {
    s.at_once = std::max(1.0, s.at_once / 2);
    s.last_decrease = now;
  }
  if (wait)
    s.not_before = std::max(s.not_before, now + std::min(*wait, rules.longest_rest));
}

} // namespace kevolve::llm
