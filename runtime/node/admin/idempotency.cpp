#include "runtime/node/admin/idempotency.hpp"

#include "runtime/base/codec.hpp"
#include "runtime/node/admin/problem.hpp"

#include <algorithm>
#include <utility>

namespace kevolve {

namespace {

constexpr std::string_view prefix = "idempotent/"; // in the index table

std::string store_key(const std::string& key) {
  return std::string{prefix} + sha256_hex(key);
}

std::string digest(const api_request& r) {
  return sha256_hex(r.method + "\n" + r.target + "\n" + r.body);
}

int64_t to_ns(idempotency_memory::clock::time_point t) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(t.time_since_epoch()).count();
}

write_op put(const kept_answer& x) {
  return write_op::put(table::index, store_key(x.key), encode(x));
}

} // namespace

result<void> idempotency_memory::restore(const store& data, clock::time_point now) {
  auto rows = data.scan(table::index, prefix, SIZE_MAX);
  if (!rows)
    return tl::unexpected(rows.error());
  std::vector<kept_answer> all;
  for (const auto& [where, bytes] : *rows)
    if (auto x = decode<kept_answer>(bytes))
      all.push_back(std::move(*x));
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.since_ns < b.since_ns; });
  std::lock_guard lock{guard_};
  for (auto& x : all) {
    entry e;
    e.request = std::move(x.request);
    e.since = clock::time_point{std::chrono::duration_cast<clock::duration>(std::chrono::nanoseconds{x.since_ns})};
    e.interrupted = x.status == 0;
    if (!e.interrupted) {
      e.answer.emplace();
      e.answer->status = x.status;
      e.answer->content_type = std::move(x.content_type);
      e.answer->body = std::move(x.body);
    }
    order_.push_back(x.key);
    entries_[x.key] = std::move(e);
  }
  forget_old(now);
  return {};
}

void idempotency_memory::forget_old(clock::time_point now) {
  while (!order_.empty()) {
    auto i = entries_.find(order_.front());
    if (i != entries_.end() && order_.size() <= most_kept && now - i->second.since < kept_for)
      return;
    if (i != entries_.end()) {
      forgotten_.push_back(i->first);
      entries_.erase(i);
    }
    order_.pop_front();
  }
}

std::optional<api_response> idempotency_memory::begin(const api_request& request, clock::time_point now) {
  std::lock_guard lock{guard_};
  forget_old(now);
  auto i = entries_.find(request.idempotency_key);
  if (i == entries_.end()) {
    entries_[request.idempotency_key] = {digest(request), std::nullopt, false, now};
    order_.push_back(request.idempotency_key);
    return std::nullopt;
  }
  if (i->second.request != digest(request))
    return to_response({422, "idempotency-key-reused", "this Idempotency-Key came with another request before"});
  if (i->second.answer)
    return i->second.answer;
  if (i->second.interrupted)
    return to_response(
        {409, "outcome-unknown",
         "how the first request with this Idempotency-Key ended is not recorded: the node ended, or could "
         "not write; see what has come of it, and use another key to ask again"});
  return to_response({409, "request-in-progress", "the first request with this Idempotency-Key is under way"});
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

void idempotency_memory::end_unrecorded(const std::string& key) {
  std::lock_guard lock{guard_};
  if (auto i = entries_.find(key); i != entries_.end())
    i->second.interrupted = true;
}

std::vector<write_op> idempotency_memory::begin_writes(const api_request& request, clock::time_point now) {
  std::vector<write_op> out;
  {
    std::lock_guard lock{guard_};
    for (const auto& key : std::exchange(forgotten_, {}))
      if (!entries_.contains(key)) // the key may have come again
        out.push_back(write_op::erase(table::index, store_key(key)));
  }
  if (!request.idempotency_key.empty())
    out.push_back(put({request.idempotency_key, digest(request), to_ns(now), 0, "", ""}));
  return out;
}

std::vector<write_op> idempotency_memory::end_writes(const api_request& request, const api_response& response,
                                                     clock::time_point now) {
  if (request.idempotency_key.empty())
    return {};
  if (response.status >= 500)
    return {write_op::erase(table::index, store_key(request.idempotency_key))};
  return {put(
      {request.idempotency_key, digest(request), to_ns(now), response.status, response.content_type, response.body})};
}

} // namespace kevolve
