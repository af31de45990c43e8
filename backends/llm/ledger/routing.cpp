#include "backends/llm/ledger/routing.hpp"

#include <algorithm>
#include <numeric>

namespace kevolve::llm {

namespace {

// Returns whether the failure concerns the provider's health, rather than the request or our rate.
bool is_sickness(failure_class c) {
  switch (c) {
    case failure_class::network:
    case failure_class::timeout:
    case failure_class::server_error:
    case failure_class::overloaded:
    case failure_class::cut:
    case failure_class::stalled:
    case failure_class::malformed_output:
    case failure_class::unknown:
      return true;
    default:
      return false;
  }
}

bool holds(const provider_health& p, instant now) {
  return p.held && (!p.held_until || now < *p.held_until);
}

void offer_wait(route& r, milliseconds wait) {
  r.wait = std::min(r.wait.value_or(wait), wait);
}

std::string in_seconds(milliseconds wait) {
  constexpr int64_t per_second = 1000;
  return std::to_string((wait.count() + per_second - 1) / per_second) + " s";
}

// Returns why the provider cannot take the call; empty if it can. Waits go into `r`.
std::string refusal(const provider_health& p, const call_size& size, instant now, route& r) {
  if (const auto rest = rest_of(p, now)) {
    if (!rest->until)
      return "on hold: " + rest->because;
    offer_wait(r, *rest->until - now);
    return "resting for " + in_seconds(*rest->until - now) + ": " + rest->because;
  }
  const auto wait = wait_before(p.pacing, size, now, p.rules.pacing);
  if (!wait) {
    r.one_lands = true;
    return std::to_string(p.pacing.in_flight) + " calls in flight are as many as it takes";
  }
  if (wait->count() > 0) {
    offer_wait(r, *wait);
    return "its rate limit leaves room in " + in_seconds(*wait);
  }
  return {};
}

} // namespace

std::optional<provider_rest> rest_of(const provider_health& p, instant now) {
  if (holds(p, now))
    return provider_rest{p.held_because, p.held_until, false};
  if (const auto at = opens_at(p.breaking, now))
    return provider_rest{"failed repeatedly, the last time so: " + p.last_sickness, at, true};
  return std::nullopt;
}

route choose(const std::vector<provider_health>& providers, const std::set<size_t>& tried, const call_size& size,
             instant now) {
  std::vector<size_t> all(providers.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return choose(providers, all, tried, size, now);
}

route choose(const std::vector<provider_health>& providers, const std::vector<size_t>& order,
             const std::set<size_t>& tried, const call_size& size, instant now) {
  route out;
  for (const auto i : order) {
    if (tried.count(i) != 0) {
      out.trail.push_back({providers[i].name, "tried"});
      continue;
    }
    auto why = refusal(providers[i], size, now, out);
    if (why.empty()) {
      out.provider = i;
      out.wait.reset();
      out.one_lands = false;
      return out;
    }
    out.trail.push_back({providers[i].name, std::move(why)});
  }
  return out;
}

std::optional<uint64_t> send(provider_health& p, const call_size& size, instant now) {
  if (holds(p, now))
    return std::nullopt;
  p.held = false;
  const auto epoch = admit(p.breaking, now, p.rules.breaking);
  if (epoch)
    sent(p.pacing, size, now);
  return epoch;
}

void ended_well(provider_health& p, uint64_t epoch, const header_list& headers, instant now) {
  observe(p.pacing, headers, now, p.rules.pacing);
  succeeded(p.pacing, p.rules.pacing);
  answered(p.breaking, epoch);
}

void ended_badly(provider_health& p, uint64_t epoch, const remedy& r, const header_list& headers, instant now) {
  observe(p.pacing, headers, now, p.rules.pacing);
  const bool pushed_back = r.what == failure_class::rate_limited || r.what == failure_class::overloaded;
  failed(p.pacing, pushed_back, pushed_back ? r.delay : std::nullopt, now, p.rules.pacing);
  if (is_sickness(r.what)) {
    p.last_sickness = r.words;
    failed(p.breaking, epoch, now, p.rules.breaking);
  } else
    answered(p.breaking, epoch);
  const bool rests = r.action == failure_action::next_provider && r.delay.has_value();
  if (r.action != failure_action::hold_provider && !rests)
    return;
  // A hold that only a person ends is not shortened by a timed one.
  if (p.held && !p.held_until)
    return;
  p.held = true;
  p.held_until = r.delay ? std::optional<instant>{now + *r.delay} : std::nullopt;
  p.held_because = r.words;
}

void ended_unheard(provider_health& p, uint64_t epoch) {
  p.pacing.in_flight = std::max<int64_t>(0, p.pacing.in_flight - 1);
  withdrawn(p.breaking, epoch);
}

void resume(provider_health& p) {
  p.held = false;
  p.held_until.reset();
  p.held_because.clear();
  p.breaking = breaker{breaker_phase::closed, 0, 0, p.breaking.epoch + 1, instant{}};
  p.pacing.not_before = {}; // the person's decision overrides the last headers
  p.pacing.windows.clear();
}

} // namespace kevolve::llm
