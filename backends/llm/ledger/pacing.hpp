// How fast calls may go to one (provider, key, model): what its rate headers leave, and how many at once. A value;
// every function is told what time it is.
#pragma once

#include "backends/llm/ledger/waiting.hpp"
#include "backends/llm/protocol/exchange.hpp"

#include <map>
#include <string>

namespace kevolve::llm {

// One limit as last reported, less what was sent since.
struct rate_window {
  int64_t limit = 0;
  int64_t remaining = 0;
  instant resets{}; // full again
};

struct pacing_rules {
  double most_at_once = 64.0;
  milliseconds longest_rest{120'000}; // a window that resets later is believed only so far: clocks and servers err
};

struct pacing_state {
  // "requests" "tokens" "input-tokens" "output-tokens"
  std::map<std::string, rate_window> windows;
  instant not_before{}; // after a refusal
  // Slow start: one more with each success, until the first refusal; then additive increase, multiplicative decrease.
  double at_once = 8.0;
  int64_t in_flight = 0;
  instant last_decrease{};
};

struct call_size {
  int64_t input_tokens = 0;
  int64_t output_tokens = 0;
};

// What a call of this size has to wait for now: nothing (0), a time, or a call in flight to end (null).
std::optional<milliseconds> wait_before(const pacing_state& s, const call_size& size, instant now,
                                        const pacing_rules& rules = {});
// A call is sent: it is in flight and its tokens are gone from the windows.
void sent(pacing_state& s, const call_size& size, instant now);
// Rate headers of either vendor, from any answer.
void observe(pacing_state& s, const header_list& headers, instant now, const pacing_rules& rules = {});
// A call has ended well.
void succeeded(pacing_state& s, const pacing_rules& rules = {});
// A call has ended otherwise. `pushed_back`: it was refused for rate or load; then fewer at once, and none before
// `wait`.
void failed(pacing_state& s, bool pushed_back, std::optional<milliseconds> wait, instant now,
            const pacing_rules& rules = {});

} // namespace kevolve::llm
