#include "backends/llm/protocol/logical_call.hpp"

namespace kevolve::llm {

call_decision after_failure(logical_call& call, size_t provider, const remedy& r, instant now,
                            const call_rules& rules) {
  const auto attempt = call.attempts[provider]++;
  call.trail.push_back({provider, now, r.what, r.words});
  const auto end = call.begun + rules.limit;
  const auto next = after_attempt(r, attempt, call.seed + provider, rules.failing);
  call_decision out;
  out.reason = next.words;
  out.at = now;
  if (next.action == failure_action::never)
    return out;
  if (now >= end) {
    out.reason += "; the time for the call is over";
    return out;
  }
  if (next.action == failure_action::retry) {
    out.at = now + next.delay.value_or(milliseconds{0});
    // A retry that would start too late goes to another provider instead.
    if (out.at < end) {
      out.step = call_step::send_again;
      return out;
    }
    out.at = now;
    out.reason += "; it asks to wait longer than the call may take";
  }
  call.tried.insert(provider);
  out.step = call_step::send_elsewhere;
  return out;
}

} // namespace kevolve::llm
