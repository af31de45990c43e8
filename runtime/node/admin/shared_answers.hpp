// One answer for all who ask the same at about the same time: building a page costs several times what sending it does.
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

  // An answer holds for so long; zero: none is kept.
  explicit shared_answers(std::chrono::milliseconds fresh) : fresh_(fresh) {}

  // The answer to that target, if nothing that it tells of has changed since: `version` counts the changes.
  std::optional<api_response> find(const std::string& target, uint64_t version, clock::time_point now) const;
  // Begun at that version, before it was built.
  void keep(const std::string& target, uint64_t version, const api_response& answer, clock::time_point now);
  // Something was asked to change: what was begun before does not hold.
  void clear();
  // Of how many such changes a version has to tell.
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
