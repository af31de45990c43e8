// Exclusive use of a core across the machine. Judges that share a core would time each other, and so would a compiler.
// A core is held by one judge, or shared by compilers, of any node, data directory or user. A turn ends with its
// process. A waiting process goes before the one that has just had a turn.
#pragma once

#include "runtime/base/result.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

// The process that holds a core.
struct core_holder {
  int pid = 0;
  std::string command;   // for example "kevolve run kernel.toml"; empty if it cannot be read
  int64_t since_ms = -1; // wall clock; below zero: unknown
};
// Returns the holder of the core; null if this process sees none.
std::optional<core_holder> holder_of(int core);
// Returns "held by 4711 (kevolve run kernel.toml) for 12 s".
std::string describe(const std::optional<core_holder>& holder);

class core_turn {
public:
  // Waits until nobody else holds the core. While it waits, it calls `waiting` at once and every second, and `given_up`
  // every 100 ms. errc::timed_out: `limit` has passed. errc::cancelled: `given_up` returned true.
  static result<core_turn> take(int core, std::chrono::milliseconds limit, const std::function<void()>& waiting,
                                const std::function<bool()>& given_up);
  // Returns a shared turn; null while a process holds the core exclusively or waits for that.
  static std::optional<core_turn> try_share(int core);
  // Waits for a shared turn; parameters and errors as for take().
  static result<core_turn> share(int core, std::chrono::milliseconds limit, const std::function<void()>& waiting,
                                 const std::function<bool()>& given_up);
  core_turn(core_turn&& other) noexcept;
  core_turn& operator=(core_turn&&) = delete;
  core_turn(const core_turn&) = delete;
  core_turn& operator=(const core_turn&) = delete;
  ~core_turn();

private:
  static result<core_turn> lock(int core, int how, std::chrono::milliseconds limit,
                                const std::function<void()>& waiting, const std::function<bool()>& given_up);
  explicit core_turn(int fd) : fd_(fd) {}
  int fd_ = -1; // -1 if the kernel does not show the core; then nothing is locked
};

// Takes turns at all the cores, in ascending order so that two callers cannot deadlock. `waiting` gets the core that is
// waited for.
result<std::vector<core_turn>> take_cores(std::vector<int> cores, std::chrono::milliseconds limit,
                                          const std::function<void(int core)>& waiting,
                                          const std::function<bool()>& given_up);
// Shared turns at those cores that no process holds exclusively, at least one.
struct shared_cores {
  std::vector<int> cores;
  std::vector<core_turn> turns;
};
result<shared_cores> share_cores(const std::vector<int>& cores, std::chrono::milliseconds limit,
                                 const std::function<void(int core)>& waiting, const std::function<bool()>& given_up);

} // namespace kevolve
