#include "backends/llm/ledger/breaker.hpp"

#include <algorithm>

namespace kevolve::llm {

namespace {

void enter(breaker& b, breaker_phase phase) {
  b.phase = phase;
  ++b.epoch;
}

void open(breaker& b, instant now, const breaker_rules& rules) {
  constexpr uint32_t most_doublings = 20;
  auto rest = rules.rest;
  for (uint32_t i = 0; i < std::min(b.rests, most_doublings) && rest < rules.longest_rest; ++i)
    rest *= 2;
  enter(b, breaker_phase::open);
  b.until = now + std::min(rest, rules.longest_rest);
  ++b.rests;
}

} // namespace

std::optional<uint64_t> admit(breaker& b, instant now, const breaker_rules& rules) {
  if (b.phase == breaker_phase::closed)
    return b.epoch;
  if (now < b.until)
    return std::nullopt;
  enter(b, breaker_phase::half_open);
  b.until = now + rules.probe_limit;
  return b.epoch;
}

std::optional<instant> opens_at(const breaker& b, instant now) {
  if (b.phase == breaker_phase::closed || now >= b.until)
    return std::nullopt;
  return b.until;
}

void answered(breaker& b, uint64_t epoch) {
  if (epoch != b.epoch)
    return;
  b.failures = 0;
  if (b.phase == breaker_phase::closed)
    return;
  b.rests = 0;
  enter(b, breaker_phase::closed);
}

void failed(breaker& b, uint64_t epoch, instant now, const breaker_rules& rules) {
  if (epoch != b.epoch)
    return;
  ++b.failures;
  if (b.phase == breaker_phase::half_open || b.failures >= std::max<uint32_t>(1, rules.allowed_failures)) {
    b.failures = 0;
    open(b, now, rules);
  }
}

void withdrawn(breaker& b, uint64_t epoch) {
  if (epoch == b.epoch && b.phase == breaker_phase::half_open)
    b.until = instant{}; // the next caller becomes the probe
}

} // namespace kevolve::llm
