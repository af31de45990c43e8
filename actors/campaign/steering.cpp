#include "actors/campaign/steering.hpp"

#include "runtime/base/codec.hpp"

#include <utility>
#include <vector>

namespace kevolve {

bool apply(steering& s, const steering_record& r) {
  if (r.serial <= s.serial)
    return false;
  s.serial = r.serial;
  if (r.action == steer_action::priority)
    s.priority = r.priority;
  else if (r.action == steer_action::budget) {
    s.has_budget = true;
    s.budget = r.budget;
  } else if (r.action == steer_action::pin)
    s.pinned.insert(r.index);
  else if (r.action == steer_action::unpin)
    s.pinned.erase(r.index);
  else if (r.action == steer_action::ban)
    s.banned.insert(r.index);
  else if (r.action == steer_action::unban)
    s.banned.erase(r.index);
  else if (r.action == steer_action::inject || r.action == steer_action::fork)
    s.injected[r.index] = {r.by, r.candidate};
  if (r.action == steer_action::fork) {
    s.origin = r.origin;
    s.origin_node = r.origin_node;
  }
  return true;
}

id128 hash_of(const steering& s) {
  std::map<uint64_t, std::pair<std::string, id128>> injected;
  for (const auto& [index, x] : s.injected)
    injected[index] = {x.by, x.candidate};
  encoder e;
  e(s.serial, s.priority, s.has_budget, s.budget, std::vector<uint64_t>{s.pinned.begin(), s.pinned.end()},
    std::vector<uint64_t>{s.banned.begin(), s.banned.end()}, injected, s.origin, s.origin_node);
  return derive_id("steering", e.take());
}

steering_record record_change(steering& s, steering_record r) {
  r.serial = s.serial + 1;
  apply(s, r);
  r.steering_hash = hash_of(s);
  return r;
}

steered_budget budget_of(const campaign_spec& spec, const steering& s) {
  if (s.has_budget)
    return s.budget;
  return {static_cast<uint64_t>(spec.budget.candidates), spec.budget.wall_s, spec.budget.device_s};
}

} // namespace kevolve
