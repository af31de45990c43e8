// Two judges on one core would time each other, and a compiler on it both. A turn at a core is held by one judge of the
// machine at a time, or by compilers alone, whichever node, data directory or user they belong to, and ends with the
// process. Who waits goes before who has just had a turn.
#pragma once

#include "runtime/base/result.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

// Who has a core: the program that its judge works for.
struct core_holder {
  int pid = 0;
  std::string command;   // "kevolve run kernel.toml"; empty: not ours to read
  int64_t since_ms = -1; // wall clock; below zero: it does not say
};
// None: nobody that this process can see.
std::optional<core_holder> holder_of(int core);
// "held by 4711 (kevolve run kernel.toml) for 12 s"
std::string describe(const std::optional<core_holder>& holder);

class core_turn {
public:
  // Waits until nobody else has the core. `waiting` is called if that takes any time, and every second; `given_up` is
  // asked every 100 ms. errc::timed_out after `limit`; errc::cancelled when given up.
  static result<core_turn> take(int core, std::chrono::milliseconds limit, const std::function<void()>& waiting,
                                const std::function<bool()>& given_up);
  // A place beside others that share the core; nothing while somebody has it alone, or waits for that.
  static std::optional<core_turn> try_share(int core);
  // The same, waited for as in take().
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
  int fd_ = -1; // none where the kernel shows no such core: then nothing is held
};

// Turns at all of them; `waiting` hears which core is waited for. In ascending order: two that take several cannot hold
// each other up for ever.
result<std::vector<core_turn>> take_cores(std::vector<int> cores, std::chrono::milliseconds limit,
                                          const std::function<void(int core)>& waiting,
                                          const std::function<bool()>& given_up);
// Places at those of them that nobody has alone, at least at one.
struct shared_cores {
  std::vector<int> cores;
  std::vector<core_turn> turns;
};
result<shared_cores> share_cores(const std::vector<int>& cores, std::chrono::milliseconds limit,
                                 const std::function<void(int core)>& waiting, const std::function<bool()>& given_up);

} // namespace kevolve
