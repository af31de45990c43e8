// Weighted fair queueing between campaigns over the time that leases are held. Pure. A campaign's account is the
// virtual time by which its share alone would have given it what it has used. The campaign with the lowest account is
// served next, so none waits for ever.
//
// A campaign that asks only after its last lease has ended would lose every turn to one that is waiting, whatever its
// share. So a resource may be kept free for a moment for a campaign that usually asks again at once ("anticipatory
// scheduling": Iyer and Druschel, SOSP 2001).
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

  // Records that a campaign asks for a lease of that kind. A campaign that was idle has saved up no share.
  void ask(const std::string& kind, const id128& campaign, uint32_t weight, time now);
  // Records that a request is withdrawn because the asker has died.
  void withdraw(const std::string& kind, const id128& campaign);
  // begin() grants a lease and returns the charge, which is an estimate from recent leases; end() replaces it by the
  // time used.
  double begin(const std::string& kind, const id128& campaign);
  void end(const std::string& kind, const id128& campaign, double charge, seconds held, time now);

  // Returns the account; the lowest is served first.
  double standing(const std::string& kind, const id128& campaign) const;
  // Returns how long a resource should stay free after one of the campaign's leases: 0 if it has asked again or usually
  // takes longer. At most a quarter of its usual lease, so that at most a fifth of the resource is idle.
  seconds patience(const std::string& kind, const id128& campaign) const;
  size_t size() const { return accounts_.size(); }

private:
  struct account {
    double weight = 1.0;
    double used = 0.0;     // lease seconds divided by weight
    double expected = 0.0; // expected seconds of its next lease
    uint64_t waiting = 0;
    uint64_t held = 0;
    uint64_t away = 0;     // leases ended without a following request
    time left;             // the latest end of a lease
    double thinking = 0.0; // average seconds from there to the next request
  };
  using key = std::pair<std::string, id128>;
  void forget_idle();

  std::map<key, account> accounts_;
  std::map<std::string, double> now_; // virtual time by kind: the account of the campaign served last
};

} // namespace kevolve
