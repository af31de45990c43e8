// Two judges on one core would time each other. A turn at a core is held by one process of the machine at a time,
// whichever node, data directory or user it belongs to, and ends with the process.
#pragma once

#include "runtime/base/result.hpp"

#include <chrono>
#include <functional>

namespace kevolve {

class core_turn {
public:
  // Waits until nobody else has the core. `waiting` is called if that takes any time, and every second; `given_up` is
  // asked every 100 ms. errc::timed_out after `limit`; errc::cancelled when given up.
  static result<core_turn> take(int core, std::chrono::milliseconds limit, const std::function<void()>& waiting,
                                const std::function<bool()>& given_up);
  core_turn(core_turn&& other) noexcept;
  core_turn& operator=(core_turn&&) = delete;
  core_turn(const core_turn&) = delete;
  core_turn& operator=(const core_turn&) = delete;
  ~core_turn();

private:
  explicit core_turn(int fd) : fd_(fd) {}
  int fd_ = -1; // none where the kernel shows no such core: then nothing is held
};

} // namespace kevolve
