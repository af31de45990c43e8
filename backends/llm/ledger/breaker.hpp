// A circuit breaker for a provider. After repeated failures it blocks calls for a while, then lets one probe through.
// It is a plain value; callers pass the time.
#pragma once

#include "backends/llm/ledger/waiting.hpp"

#include <cstdint>
#include <optional>

namespace kevolve::llm {

struct breaker_rules {
  uint32_t allowed_failures = 3; // consecutive failures that open the breaker
  milliseconds rest{30'000};     // time blocked after the first opening; doubles with every failed probe
  milliseconds longest_rest{600'000};
  milliseconds probe_limit{180'000}; // a probe without an answer counts as lost after this; another may go
};

enum class breaker_phase : uint8_t { closed = 0, open, half_open };

struct breaker {
  breaker_phase phase = breaker_phase::closed;
  uint32_t failures = 0;
  uint32_t rests = 0; // consecutive openings
  uint64_t epoch = 0; // rises with every change of phase; answers to calls of an older epoch change nothing
  instant until{};    // open: the time of the next probe; half open: the time at which the probe counts as lost
};

// Admits a call if one may go, and returns the epoch to report with its answer. In phase half open, the first caller
// becomes the probe. Returns null if the call must wait.
std::optional<uint64_t> admit(breaker& b, instant now, const breaker_rules& rules = {});
// Returns the time at which admit() will accept the next call; null if it accepts one now.
std::optional<instant> opens_at(const breaker& b, instant now);

void answered(breaker& b, uint64_t epoch);
void failed(breaker& b, uint64_t epoch, instant now, const breaker_rules& rules = {});
// Reports an admitted call that was never sent, or that we ended ourselves.
void withdrawn(breaker& b, uint64_t epoch);

} // namespace kevolve::llm
