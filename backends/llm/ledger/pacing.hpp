// Paces the calls to one (provider, key, model) by its rate headers and a limit on concurrent calls. The state is a
// plain value; callers pass the time.
#pragma once

#include "backends/llm/ledger/waiting.hpp"
#include "backends/llm/protocol/exchange.hpp"

#include <map>
#include <string>

namespace kevolve::llm {

// One limit as last reported, less the amount sent since.
struct rate_window {
  int64_t limit = 0;
  int64_t remaining = 0;
  instant resets{}; // time at which the window is full again
};

struct pacing_rules {
  double most_at_once = 64.0;
  milliseconds longest_rest{120'000}; // upper bound on the wait for a window, since clocks and servers can be wrong
};

struct pacing_state {
  // Keys are "requests", "tokens", "input-tokens" and "output-tokens".
  std::map<std::string, rate_window> windows;
  instant not_before{}; // no call before this time, after a refusal
  // Limit of concurrent calls. Slow start adds one for each success until the first refusal. After that it follows
  // additive increase, multiplicative decrease.
  double at_once = 8.0;
  int64_t in_flight = 0;
  instant last_decrease{};
};

struct call_size {
  int64_t input_tokens = 0;
  int64_t output_tokens = 0;
};

// Returns the time that a call of this size must wait; 0 if it may go now. Null: it must wait for a call in flight to
// end.
std::optional<milliseconds> wait_before(const pacing_state& s, const call_size& size, instant now,
                                        const pacing_rules& rules = {});
// Reports a sent call: it is in flight and its tokens are taken from the windows.
void sent(pacing_state& s, const call_size& size, instant now);
// Reads the rate headers of either vendor from any answer.
void observe(pacing_state& s, const header_list& headers, instant now, const pacing_rules& rules = {});
// Reports a call that succeeded.
void succeeded(pacing_state& s, const pacing_rules& rules = {});
// Reports a call that failed. `pushed_back` means that it was refused for rate or load. Then fewer calls run at once,
// and none starts before `wait` has passed.
void failed(pacing_state& s, bool pushed_back, std::optional<milliseconds> wait, instant now,
            const pacing_rules& rules = {});

} // namespace kevolve::llm
