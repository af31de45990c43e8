// Shares one answer among all who ask the same at about the same time: building a page costs several times as much as
// sending it.
#pragma once

#include "runtime/node/admin/exchange.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace kevolve {

class shared_answers {
public:
  using clock = std::chrono::steady_clock;

  // An answer is valid for so long; zero: none is kept.
  explicit shared_answers(std::chrono::milliseconds fresh) : fresh_(fresh) {}

  // Returns the answer for that target if its data has not changed since: `version` counts the changes.
  std::optional<api_response> find(const std::string& target, uint64_t version, clock::time_point now) const;
  // Keeps an answer; `version` was read before the answer was built.
  void keep(const std::string& target, uint64_t version, const api_response& answer, clock::time_point now);
  // Drops all answers because a change was requested; answers begun before it become invalid, too.
  void clear();
  // Returns the number of such changes, which is part of a version.
  uint64_t changes() const { return changes_; }

private:
  struct answer {
    uint64_t version = 0;
    clock::time_point built;
    api_response response;
  };
  std::chrono::milliseconds fresh_;
  std::atomic<uint64_t> changes_ = 0;
  mutable std::mutex guard_;
  std::map<std::string, answer> answers_;
};

} // namespace kevolve
