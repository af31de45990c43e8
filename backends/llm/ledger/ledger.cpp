#include "backends/llm/ledger/ledger.hpp"

#include <algorithm>
#include <cstdio>

namespace kevolve::llm {

namespace {

// A larger figure is a mistake; sums of a few figures of this size cannot overflow.
constexpr int64_t most_counted = int64_t{1} << 60;

int64_t added(int64_t a, int64_t b) {
  return std::min(most_counted, a + std::clamp<int64_t>(b, 0, most_counted));
}

spending sum(const spending& a, const spending& b) {
  return {added(a.money, b.money), added(a.tokens, b.tokens), added(a.calls, b.calls)};
}

void take(spending& from, const spending& what) {
  from.money -= std::min(from.money, what.money);
  from.tokens -= std::min(from.tokens, what.tokens);
  from.calls -= std::min(from.calls, what.calls);
}

std::string money_text(nano_money m) {
  constexpr double nano = 1e-9;
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.4f", static_cast<double>(m) * nano);
  return buffer;
}

// Returns the cap that `used` plus this call would exceed; null if there is none.
std::optional<std::string> passed(const budget_caps& caps, const spending& used, const spending& more,
                                  const std::string& which) {
  const auto left = [](int64_t cap, int64_t so_far) { return std::max<int64_t>(0, cap - so_far); };
  if (caps.calls && added(used.calls, more.calls) > *caps.calls)
    return which + " of " + std::to_string(*caps.calls) + " calls is used up";
  if (caps.tokens && added(used.tokens, more.tokens) > *caps.tokens)
    return which + " of " + std::to_string(*caps.tokens) + " tokens has "
           + std::to_string(left(*caps.tokens, used.tokens)) + " left; the call may take "
           + std::to_string(more.tokens);
  if (caps.money && added(used.money, more.money) > *caps.money)
    return which + " of " + money_text(*caps.money) + " has " + money_text(left(*caps.money, used.money))
           + " left; the call may cost " + money_text(more.money);
  return std::nullopt;
}

std::optional<std::string> refusal(const ledger& l, const budget_rules& rules, const spending& more, int64_t day) {
  if (auto no = passed(rules.total, sum(l.spent, l.reserved), more, "the budget"))
    return no;
  spending today;
  if (const auto found = l.by_day.find(day); found != l.by_day.end())
    today = found->second;
  for (const auto& [call, r] : l.open)
    if (r.day == day)
      today = sum(today, r.most);
  if (auto no = passed(rules.per_day, today, more, "the day's budget"))
    return *no + "; it is whole again at 00:00 UTC";
  return std::nullopt;
}

// A call without a price counts by its tokens only; the ledger records it as unpriced.
void book(ledger& l, const reservation& r, const spending& took) {
  l.spent = sum(l.spent, took);
  auto& day = l.by_day[r.day];
  day = sum(day, took);
}

} // namespace

int64_t day_of(instant t) {
  return std::chrono::floor<std::chrono::days>(t).time_since_epoch().count();
}

namespace {

spending most_of(const call_worst& worst) {
  return {added(0, worst.money.value_or(0)), added(added(0, worst.input_tokens), worst.output_tokens), worst.calls};
}

} // namespace

bool fits(const ledger& l, const budget_rules& rules, const call_worst& worst, instant now) {
  return (worst.money || !rules.require_known_price) && !refusal(l, rules, most_of(worst), day_of(now));
}

result<void> reserve(ledger& l, const budget_rules& rules, const id128& call, const call_worst& worst, instant now) {
  if (l.open.count(call) != 0)
    return fail(errc::conflict, "the call has its reservation already");
  if (rules.require_known_price && !worst.money)
    return fail(errc::unavailable, "the model's price is unknown and the budget requires a known one");
  reservation r;
  r.most = most_of(worst);
  r.price_known = worst.money.has_value();
  r.day = day_of(now);
  if (auto no = refusal(l, rules, r.most, r.day))
    return fail(errc::unavailable, *no);
  l.reserved = sum(l.reserved, r.most);
  l.open.emplace(call, r);
  return {};
}

result<void> settle(ledger& l, const id128& call, const token_counts* used, std::optional<nano_money> money,
                    int64_t requests) {
  const auto found = l.open.find(call);
  if (found == l.open.end())
    return fail(errc::not_found, "no reservation for the call");
  const auto r = found->second;
  l.open.erase(found);
  take(l.reserved, r.most);
  auto took = r.most;
  took.calls = requests;
  const bool counted = used != nullptr && used->input && used->output;
  if (counted) {
    took.tokens = added(added(0, *used->input), *used->output);
    l.output_tokens = added(l.output_tokens, *used->output);
  } else
    ++l.estimated_calls;
  if (money)
    took.money = *money;
  else if (!r.price_known) {
    took.money = 0;
    ++l.unpriced_calls;
    l.unpriced_tokens = added(l.unpriced_tokens, took.tokens);
  } // else: the price was known when the call was made but its usage is not, so the worst case stands
  book(l, r, took);
  return {};
}

result<void> release(ledger& l, const id128& call) {
  const auto found = l.open.find(call);
  if (found == l.open.end())
    return fail(errc::not_found, "no reservation for the call");
  take(l.reserved, found->second.most);
  l.open.erase(found);
  return {};
}

std::optional<std::string> exhausted(const ledger& l, const budget_rules& rules, instant now) {
  return refusal(l, rules, {1, 1, 1}, day_of(now));
}

} // namespace kevolve::llm
