// Answers are kept for 24 hours and for at most the latest 4,096 keys. So a POST repeated with the same Idempotency-Key
// takes effect once. They are also stored, together with the audit's records, so that a restart or a crash loses none.
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

// The stored form of an answer.
struct kept_answer {
  std::string key;
  std::string request; // SHA-256 of method, target and body
  int64_t since_ns = 0;
  uint32_t status = 0; // 0: the request has begun and has no answer yet
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

  // Loads the answers of an earlier node. A request that had begun and not ended stays without an answer, because it is
  // unknown whether it took effect.
  result<void> restore(const store& data, clock::time_point now);

  // Returns nothing if the request is new; it then counts as begun. Otherwise returns the answer: the first one's, 409
  // while that is in progress, 422 if the key came with another request.
  std::optional<api_response> begin(const api_request& request, clock::time_point now);
  // Keeps a success or a refusal. A server error (5xx) is forgotten, so that a repeat may succeed.
  void end(const std::string& key, const api_response& response, clock::time_point now);
  // Marks a request that took effect but could not be recorded. A repeat is told so, because doing it twice would be
  // worse.
  void end_unrecorded(const std::string& key);

  // Returns the writes to the store when a request begins, and when it ends.
  std::vector<write_op> begin_writes(const api_request& request, clock::time_point now);
  static std::vector<write_op> end_writes(const api_request& request, const api_response& response,
                                          clock::time_point now);

  static constexpr size_t most_kept = 4'096;
  static constexpr std::chrono::hours kept_for{24};

private:
  struct entry {
    std::string request;
    std::optional<api_response> answer;
    bool interrupted = false; // begun, and its end is not recorded
    clock::time_point since;
  };
  void forget_old(clock::time_point now);

  std::mutex guard_;
  std::map<std::string, entry> entries_;
  std::deque<std::string> order_;
  std::vector<std::string> forgotten_; // not yet erased from the store
};

} // namespace kevolve
