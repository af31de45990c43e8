// A circuit breaker: a provider that keeps failing gets no calls for a while, then one to see. A value over virtual
// time.
#pragma once

#include "backends/llm/ledger/waiting.hpp"

#include <cstdint>
#include <optional>

namespace kevolve::llm {

struct breaker_rules {
  uint32_t allowed_failures = 3; // in a row
  milliseconds rest{30'000};     // doubles with every probe that fails
  milliseconds longest_rest{600'000};
  milliseconds probe_limit{180'000}; // a probe of which nothing is heard is lost: another may go
};

enum class breaker_phase : uint8_t { closed = 0, open, half_open };

struct breaker {
  breaker_phase phase = breaker_phase::closed;
  uint32_t failures = 0;
  uint32_t rests = 0; // in a row
  uint64_t epoch = 0; // rises with every change of phase; answers to calls of an older one change nothing
  instant until{};    // open: to when. half open: the probe is lost after this
};

// Takes a call in, if one may go: its epoch comes back with its answer. Half open, the first to ask is the probe.
std::optional<uint64_t> admit(breaker& b, instant now, const breaker_rules& rules = {});
// When admit() will next take a call, if it would not now; for whoever waits.
std::optional<instant> opens_at(const breaker& b, instant now);

void answered(breaker& b, uint64_t epoch);
void failed(breaker& b, uint64_t epoch, instant now, const breaker_rules& rules = {});
// A call that was admitted and never sent, or ended for reasons of our own.
void withdrawn(breaker& b, uint64_t epoch);

} // namespace kevolve::llm
