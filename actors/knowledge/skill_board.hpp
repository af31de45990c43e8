// The skills that may be offered, as of now: the book publishes them, campaigns choose from them when they select a
// step. Callable from any thread.
#pragma once

#include "actors/knowledge/skill.hpp"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace kevolve {

// Skills in the order of their ids. A published list never changes.
using skill_list = std::vector<std::shared_ptr<const skill>>;

class skill_board {
public:
  void publish(std::shared_ptr<const skill_list> now) {
    std::lock_guard lock{guard_};
    now_ = std::move(now);
  }
  // Returns the newest list; never null.
  std::shared_ptr<const skill_list> now() const {
    std::lock_guard lock{guard_};
    return now_;
  }

private:
  mutable std::mutex guard_;
  std::shared_ptr<const skill_list> now_ = std::make_shared<const skill_list>();
};

} // namespace kevolve
