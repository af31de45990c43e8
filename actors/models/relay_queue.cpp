#include "actors/models/relay_queue.hpp"

namespace kevolve::synthesis {

bool is_held(const relay_prompt& p, int64_t now_ns) {
  return p.held_until_ns > now_ns;
}

void relay_queue::put(relay_prompt p) {
  erase(p.id);
  asked_[p.id] = p.asked_ns;
  waiting_.emplace(std::pair{p.asked_ns, p.id}, std::move(p));
}

void relay_queue::erase(const exchange_id& id) {
  auto known = asked_.find(id);
  if (known == asked_.end())
    return;
  waiting_.erase({known->second, id});
  asked_.erase(known);
}

const relay_prompt* relay_queue::find(const exchange_id& id) const {
  auto known = asked_.find(id);
  return known == asked_.end() ? nullptr : &waiting_.at({known->second, id});
}

const relay_prompt* relay_queue::take(const relay_request& who, int64_t now_ns) {
  for (auto& [place, p] : waiting_) {
    if (is_held(p, now_ns) || (who.campaign && who.campaign != p.id.campaign))
      continue;
    p.holder = who.holder;
    p.held_until_ns = now_ns + who.lease_ns;
    ++p.handed_out;
    return &p;
  }
  return nullptr;
}

bool relay_queue::return_resource(const exchange_id& id, const std::string& holder, int64_t now_ns) {
  auto known = asked_.find(id);
  if (known == asked_.end())
    return false;
  auto& p = waiting_.at({known->second, id});
  if (!is_held(p, now_ns) || p.holder != holder)
    return false;
  p.holder.clear();
  p.held_until_ns = 0;
  return true;
}

std::vector<relay_prompt> relay_queue::list(int64_t now_ns) const {
  std::vector<relay_prompt> out;
  for (const auto& [place, p] : waiting_) {
    out.push_back(p);
    if (!is_held(p, now_ns)) {
      out.back().holder.clear();
      out.back().held_until_ns = 0;
    }
  }
  return out;
}

} // namespace kevolve::synthesis
