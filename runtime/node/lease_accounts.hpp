// Who has had how much of the leases: weighted fair queueing between campaigns, over the time that leases are held.
// Pure. A campaign's account says when, in virtual time, it would have got what it has had if it were alone with its
// share; the campaign whose account stands lowest is served next, so none waits for ever.
//
// One that asks for a lease only when its last has ended would lose every turn to whoever waits at that moment,
// whatever its share; so a resource may be kept free for a moment for one that is known to come back at once
// ("anticipatory scheduling": Iyer and Druschel, SOSP 2001).
#pragma once

#include "runtime/base/ids.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace kevolve {

class lease_accounts {
public:
  using time = std::chrono::steady_clock::time_point;
  using seconds = std::chrono::duration<double>;

  // A campaign asks for a lease of that kind. One that had nothing to ask for saves nothing up meanwhile.
  void ask(const std::string& kind, const id128& campaign, uint32_t weight, time now);
  // It asks no more: the asker has died.
  void withdraw(const std::string& kind, const id128& campaign);
  // It got one and is charged for what its leases took lately; end() puts in place of that charge what it took.
  double begin(const std::string& kind, const id128& campaign);
  void end(const std::string& kind, const id128& campaign, double charge, seconds held, time now);

  // Smaller: served first.
  double standing(const std::string& kind, const id128& campaign) const;
  // How long after the end of one of its leases a resource should stay free for its next request: 0 if that has come,
  // or usually takes longer. At most a quarter of its usual lease, so that no more than a fifth of the resource is
  // idle.
  seconds patience(const std::string& kind, const id128& campaign) const;
  size_t size() const { return accounts_.size(); }

private:
  struct account {
    double weight = 1.0;
    double used = 0.0;     // lease seconds over weight
    double expected = 0.0; // seconds of its next lease
    uint64_t waiting = 0;
    uint64_t held = 0;
    uint64_t away = 0;     // leases ended that no request has followed
    time left;             // the latest end of a lease
    double thinking = 0.0; // seconds from there to the request that follows
  };
  using key = std::pair<std::string, id128>;
  void forget_idle();

  std::map<key, account> accounts_;
  std::map<std::string, double> now_; // virtual time by kind: the account of the latest served
};

} // namespace kevolve
