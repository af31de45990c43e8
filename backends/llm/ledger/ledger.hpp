// What may be spent on models and what was: reserved at its worst before a call, settled after it. A value: the fold of
// its calls. Used per campaign, per provider and for the node; a call asks each of them.
#pragma once

#include "backends/llm/ledger/price.hpp"
#include "backends/llm/ledger/waiting.hpp"
#include "runtime/base/ids.hpp"

#include <map>
#include <optional>
#include <string>

namespace kevolve::llm {

struct spending {
  nano_money money = 0;
  int64_t tokens = 0; // input and output
  int64_t calls = 0;
};

struct budget_caps { // null: unlimited
  std::optional<nano_money> money;
  std::optional<int64_t> tokens;
  std::optional<int64_t> calls;
};

struct budget_rules {
  budget_caps total;
  budget_caps per_day;              // days of UTC
  bool require_known_price = false; // refuse calls whose price is unknown
};

struct reservation {
  spending most;
  bool price_known = true;
  int64_t day = 0; // since the epoch; what the call costs counts on the day it began
};

struct ledger {
  spending spent;
  spending reserved;
  std::map<int64_t, spending> by_day; // spent
  std::map<id128, reservation> open;
  int64_t unpriced_calls = 0; // their money is unknown: `spent.money` is less than what was spent
  int64_t unpriced_tokens = 0;
  int64_t output_tokens = 0;   // of spent.tokens, where usage was told
  int64_t estimated_calls = 0; // ended without usage: counted at their worst
  int64_t last_number = 0;     // of the calls that were begun, those that never went out among them
};

struct call_worst {
  int64_t input_tokens = 0;
  int64_t output_tokens = 0;
  std::optional<nano_money> money;
  int64_t calls = 1; // requests that go out
};

int64_t day_of(instant t);

// errc::conflict: the call has a reservation. errc::unavailable names the cap that it would pass, what is left, and
// whether tomorrow helps; or says that the price is unknown where it must be known.
result<void> reserve(ledger& l, const budget_rules& rules, const id128& call, const call_worst& worst, instant now);
// Whether reserve() would take it.
bool fits(const ledger& l, const budget_rules& rules, const call_worst& worst, instant now);
// What the call really took; null: not known, it counts at its worst. Never sent: give it back with release().
// `requests`: how often it went out. errc::not_found: no such reservation, so nothing is counted twice.
result<void> settle(ledger& l, const id128& call, const token_counts* used, std::optional<nano_money> money,
                    int64_t requests = 1);
result<void> release(ledger& l, const id128& call);

// Nothing more can be reserved now; the reason, for a person. Null: something can.
std::optional<std::string> exhausted(const ledger& l, const budget_rules& rules, instant now);

template <class I>
typename I::result_type inspect(I& f, spending& x) {
  return f(x.money, x.tokens, x.calls);
}
template <class I>
typename I::result_type inspect(I& f, reservation& x) {
  return f(x.most, x.price_known, x.day);
}
template <class I>
typename I::result_type inspect(I& f, ledger& x) {
  return f(x.spent, x.reserved, x.by_day, x.open, x.unpriced_calls, x.unpriced_tokens, x.estimated_calls,
           x.output_tokens, x.last_number);
}

} // namespace kevolve::llm
