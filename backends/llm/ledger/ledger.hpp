// The budget ledger of model calls. A call's worst case is reserved before it and settled after it. The ledger is a
// plain value, the fold of its calls. There is one per campaign, per provider and for the node; a call must fit in
// each.
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
  int64_t tokens = 0; // input and output tokens
  int64_t calls = 0;
};

struct budget_caps { // null means unlimited
  std::optional<nano_money> money;
  std::optional<int64_t> tokens;
  std::optional<int64_t> calls;
};

struct budget_rules {
  budget_caps total;
  budget_caps per_day;              // per day of UTC
  bool require_known_price = false; // refuses calls whose price is unknown
};

struct reservation {
  spending most;
  bool price_known = true;
  int64_t day = 0; // days since the epoch; the cost counts on the day on which the call began
};

struct ledger {
  spending spent;
  spending reserved;
  std::map<int64_t, spending> by_day; // spent, by day since the epoch
  std::map<id128, reservation> open;
  int64_t unpriced_calls = 0; // calls with unknown cost; `spent.money` does not include them
  int64_t unpriced_tokens = 0;
  int64_t output_tokens = 0;   // the output part of spent.tokens, where the provider reported usage
  int64_t estimated_calls = 0; // calls that ended without usage and count at their worst case
  int64_t last_number = 0;     // number of the last call begun, including calls that never went out
};

struct call_worst {
  int64_t input_tokens = 0;
  int64_t output_tokens = 0;
  std::optional<nano_money> money;
  int64_t calls = 1; // number of requests sent
};

int64_t day_of(instant t);

// Reserves a call's worst case. errc::conflict: the call already has a reservation. errc::unavailable: a cap would be
// exceeded, or a required price is unknown. The message names the cap, the amount left and whether waiting until
// tomorrow helps.
result<void> reserve(ledger& l, const budget_rules& rules, const id128& call, const call_worst& worst, instant now);
// Returns whether reserve() would accept the call.
bool fits(const ledger& l, const budget_rules& rules, const call_worst& worst, instant now);
// Books the call's real usage and closes its reservation. Without `used`, the call counts at its worst case. `requests`
// is the number of requests sent; a call that was never sent needs release() instead. errc::not_found: the call has no
// reservation, so nothing is counted twice.
result<void> settle(ledger& l, const id128& call, const token_counts* used, std::optional<nano_money> money,
                    int64_t requests = 1);
result<void> release(ledger& l, const id128& call);

// Returns why nothing more can be reserved now, as text for a person; null if something can.
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
