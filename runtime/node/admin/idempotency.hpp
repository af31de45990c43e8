// Answers kept for 24 hours, and of the latest 4,096 keys at most, so that a POST repeated with the same
// Idempotency-Key takes effect once. What is kept is also in the store, written together with the audit's records, so
// that neither a restart nor a crash forgets it.
#pragma once

#include "runtime/node/admin/exchange.hpp"
#include "store/store.hpp"

#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

// As it is stored.
struct kept_answer {
  std::string key;
  std::string request; // SHA-256 of method, target and body
  int64_t since_ns = 0;
  uint32_t status = 0; // 0: begun, and no answer yet
  std::string content_type;
  std::string body;
};
template <class I>
typename I::result_type inspect(I& f, kept_answer& x) {
  return f(x.key, x.request, x.since_ns, x.status, x.content_type, x.body);
}

class idempotency_memory {
public:
  using clock = std::chrono::system_clock;

  // What a node before this one has kept. A request that it had begun and not ended stays without an answer: nobody
  // knows whether it took effect.
  result<void> restore(const store& data, clock::time_point now);

  // Nothing: the request is new and now counts as begun. Else what to answer: the first one's answer, 409 while
  // that is still under way, 422 if the key came with another request before.
  std::optional<api_response> begin(const api_request& request, clock::time_point now);
  // Keeps a success or a refusal; a fault of ours (5xx) is forgotten, so that the repeat may succeed.
  void end(const std::string& key, const api_response& response, clock::time_point now);
  // It took effect and cannot be recorded: asked again it is told so, for doing it twice is worse.
  void end_unrecorded(const std::string& key);

  // What the store must be told when a request begins, and when it ends.
  std::vector<write_op> begin_writes(const api_request& request, clock::time_point now);
  static std::vector<write_op> end_writes(const api_request& request, const api_response& response,
                                          clock::time_point now);

  static constexpr size_t most_kept = 4'096;
  static constexpr std::chrono::hours kept_for{24};

private:
  struct entry {
    std::string request;
    std::optional<api_response> answer;
    bool interrupted = false; // begun, and nobody has recorded its end
    clock::time_point since;
  };
  void forget_old(clock::time_point now);

  std::mutex guard_;
  std::map<std::string, entry> entries_;
  std::deque<std::string> order_;
  std::vector<std::string> forgotten_; // and not yet erased from the store
};

} // namespace kevolve
