#include "runtime/node/admin/idempotency.hpp"

#include "runtime/node/admin/problem.hpp"

#include <algorithm>

namespace kevolve {

void idempotency_memory::forget_old(clock::time_point now) {
  while (!order_.empty()) {
    auto i = entries_.find(order_.front());
    if (i != entries_.end() && order_.size() <= most_kept && now - i->second.since < kept_for)
      return;
    if (i != entries_.end())
      entries_.erase(i);
    order_.pop_front();
  }
}

std::optional<api_response> idempotency_memory::begin(const api_request& request, clock::time_point now) {
  std::lock_guard lock{guard_};
  forget_old(now);
  auto i = entries_.find(request.idempotency_key);
  if (i == entries_.end()) {
    entries_[request.idempotency_key] = {request.target, request.body, std::nullopt, now};
    order_.push_back(request.idempotency_key);
    return std::nullopt;
  }
  if (i->second.target != request.target || i->second.body != request.body)
    return to_response({422, "idempotency-key-reused", "this Idempotency-Key came with another request before"});
  if (!i->second.answer)
    return to_response({409, "request-in-progress", "the first request with this Idempotency-Key is under way"});
  return i->second.answer;
}

void idempotency_memory::end(const std::string& key, const api_response& response, clock::time_point now) {
  std::lock_guard lock{guard_};
  auto i = entries_.find(key);
  if (i == entries_.end())
    return;
  if (response.status >= 500) {
    entries_.erase(i);
    order_.erase(std::remove(order_.begin(), order_.end(), key), order_.end());
    return;
  }
  i->second.answer = response;
  i->second.since = now;
}

} // namespace kevolve
