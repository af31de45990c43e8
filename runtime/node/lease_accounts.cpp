#include "runtime/node/lease_accounts.hpp"

#include <algorithm>

namespace kevolve {

namespace {

// A lease costs something even if it is returned at once; otherwise its holder could ask for ever.
constexpr double least_charge_s = 0.001;
// The weight of the latest lease in the running averages.
constexpr double learning = 0.3;
// No resource is kept free for longer than this.
constexpr double longest_patience_s = 0.05;
// With this many accounts, those of campaigns that neither hold nor ask are dropped.
constexpr size_t kept = 256;

} // namespace

void lease_accounts::ask(const std::string& kind, const id128& campaign, uint32_t weight, time now) {
  if (accounts_.size() >= kept)
    forget_idle();
  auto& a = accounts_[{kind, campaign}];
  a.weight = std::max<double>(weight, 1.0);
  if (a.waiting == 0 && a.held == 0)
    a.used = std::max(a.used, now_[kind]);
  ++a.waiting;
  if (a.away == 0)
    return;
  --a.away;
  // Bounded, so that one long absence does not hide many short ones.
  const auto thought = std::min(seconds{now - a.left}.count(), 2 * longest_patience_s);
  a.thinking += learning * (thought - a.thinking);
}

void lease_accounts::withdraw(const std::string& kind, const id128& campaign) {
  auto i = accounts_.find({kind, campaign});
  if (i != accounts_.end() && i->second.waiting > 0)
    --i->second.waiting;
}

double lease_accounts::begin(const std::string& kind, const id128& campaign) {
  auto& a = accounts_[{kind, campaign}];
  now_[kind] = std::max(now_[kind], a.used);
  if (a.waiting > 0)
    --a.waiting;
  ++a.held;
  const auto charge = std::max(a.expected, least_charge_s) / a.weight;
  a.used += charge;
  return charge;
}

void lease_accounts::end(const std::string& kind, const id128& campaign, double charge, seconds held, time now) {
  auto i = accounts_.find({kind, campaign});
  if (i == accounts_.end() || i->second.held == 0)
    return;
  auto& a = i->second;
  --a.held;
  const auto actual = std::max(held.count(), least_charge_s);
  a.used += actual / a.weight - charge;
  a.expected = a.expected == 0.0 ? actual : a.expected + learning * (actual - a.expected);
  ++a.away;
  a.left = now;
}

double lease_accounts::standing(const std::string& kind, const id128& campaign) const {
  auto i = accounts_.find({kind, campaign});
  return i == accounts_.end() ? 0.0 : i->second.used;
}

lease_accounts::seconds lease_accounts::patience(const std::string& kind, const id128& campaign) const {
  auto i = accounts_.find({kind, campaign});
  if (i == accounts_.end() || i->second.away == 0)
    return seconds{0};
  const auto limit = std::min(longest_patience_s, i->second.expected / 4);
  return seconds{i->second.thinking <= limit ? limit : 0.0};
}

void lease_accounts::forget_idle() {
  std::erase_if(accounts_, [](const auto& a) { return a.second.waiting == 0 && a.second.held == 0; });
}

} // namespace kevolve
