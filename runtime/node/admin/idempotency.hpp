// Answers kept for a while, so that a POST repeated with the same Idempotency-Key takes effect once.
#pragma once

#include "runtime/node/admin/exchange.hpp"

#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace kevolve {

class idempotency_memory {
public:
  using clock = std::chrono::steady_clock;

  // Nothing: the request is new and now counts as begun. Else what to answer: the first one's answer, 409 while
  // that is still under way, 422 if the key came with another request before.
  std::optional<api_response> begin(const api_request& request, clock::time_point now);
  // Keeps a success or a refusal; a fault of ours (5xx) is forgotten, so that the repeat may succeed.
  void end(const std::string& key, const api_response& response, clock::time_point now);

  static constexpr size_t most_kept = 1'024;
  static constexpr std::chrono::minutes kept_for{10};

private:
  struct entry {
    std::string target;
    std::string body;
    std::optional<api_response> answer;
    clock::time_point since;
  };
  void forget_old(clock::time_point now);

  std::mutex guard_;
  std::map<std::string, entry> entries_;
  std::deque<std::string> order_;
};

} // namespace kevolve
