// The skills that may be offered, as of now: the book publishes them, campaigns choose from them when they select a
// step. Callable from any thread.
#pragma once

#include "actors/knowledge/skill_index.hpp"

#include <memory>
#include <mutex>
#include <utility>

namespace kevolve {

class skill_board {
public:
  // Replaces the index. A published index never changes.
  void publish(std::shared_ptr<const skill_index> now) {
    std::lock_guard lock{guard_};
    now_ = std::move(now);
  }
  // Returns the newest index; never null.
  std::shared_ptr<const skill_index> now() const {
    std::lock_guard lock{guard_};
    return now_;
  }

private:
  mutable std::mutex guard_;
  std::shared_ptr<const skill_index> now_ = std::make_shared<const skill_index>();
};

} // namespace kevolve
