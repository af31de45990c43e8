// One locked process with one loaded object: a candidate, its baseline, the reference or the oracle. Frozen
// except during a call; the judge alone holds clock and verdict. Lives for a few calls at most.
#pragma once

#include "backends/judge/native/zygote_client.hpp"
#include "backends/judge/rejection.hpp"
#include "backends/judge/shared_arena.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/result.hpp"
#include "runtime/base/verdict.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace kevolve {

// A shared object in a sealed memfd.
class object_file {
public:
  object_file() = default;
  static result<object_file> create(const std::string& bytes);
  object_file(object_file&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  object_file& operator=(object_file&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  object_file(const object_file&) = delete;
  object_file& operator=(const object_file&) = delete;
  ~object_file();
  int fd() const { return fd_; }

private:
  int fd_ = -1;
};

struct launch_options {
  const contract* task = nullptr; // types as the object sees them
  int slot = 0;                   // status page: 0 or 1
  uint64_t memory_bytes = 0;
  std::vector<int> cores; // where it runs
  // A sanitised replay notes its findings there in the arena. The keys name findings that do not end it.
  size_t report_offset = 0;
  std::string excused = {};
};

class sandboxed_process {
public:
  sandboxed_process() = default;
  sandboxed_process(sandboxed_process&& other) noexcept { *this = std::move(other); }
  sandboxed_process& operator=(sandboxed_process&& other) noexcept;
  sandboxed_process(const sandboxed_process&) = delete;
  sandboxed_process& operator=(const sandboxed_process&) = delete;
  ~sandboxed_process() { end(); }

  // Launches and freezes. A failure is the infrastructure's; `refused` is set when it is the object's.
  static result<sandboxed_process> launch(zygote_client& zygote, shared_arena& arena, const object_file& object,
                                          const launch_options& options, std::optional<rejection>& refused);

  bool alive() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }

  // One call, from resume to frozen again. On a rejection the process has ended.
  std::optional<rejection> call(const uint64_t* values, size_t count, std::chrono::nanoseconds limit,
                                std::chrono::nanoseconds& took);
  // Returns the processor time of the last call, at most its duration: without waits for a processor.
  std::chrono::nanoseconds worked() const { return worked_; }
  // Times an empty call: what waking and freezing the process takes by itself.
  std::optional<rejection> empty_call(std::chrono::nanoseconds limit, std::chrono::nanoseconds& took) {
    return call(nullptr, 0, limit, took);
  }
  // From now on it is not to touch these ranges of the arena, of whole pages, and may touch all others.
  std::optional<rejection> fence(const byte_ranges& ranges, const byte_ranges& read_only,
                                 std::chrono::nanoseconds limit);
  // Returns the offset in the arena whose access ended the process; nothing if the process did not note one.
  std::optional<size_t> died_at() const { return died_at_; }
  // Lets the process run without a call to answer: an honest one stays silent. True if it spoke or wrote, as one
  // does that had reported `done` before its work was.
  bool restless(std::chrono::milliseconds grace);

  void end();
  std::chrono::nanoseconds load_time() const { return load_time_; } // the object's own doing

private:
  // Sends what the process answers with the token, from resume to frozen again.
  std::optional<rejection> exchange(const void* message, size_t bytes, uint64_t token, std::chrono::nanoseconds limit,
                                    std::chrono::nanoseconds& took);
  std::optional<rejection> await_load();
  std::optional<rejection> hear_of_load(wire::load_report& report, std::chrono::nanoseconds limit);
  // Waits for the process to speak; false if it does not, or if it has become a crowd.
  bool await_word(std::chrono::nanoseconds limit, std::optional<rejection>& crowd);
  std::optional<rejection> too_many_threads();
  std::optional<rejection> too_much_memory();
  rejection refuse(verdict v, std::string rule, std::string detail, std::map<std::string, std::string> evidence = {});
  rejection obituary(int status);
  bool freeze(int& status);

  pid_t pid_ = -1;
  int command_ = -1;
  shared_arena* arena_ = nullptr;
  int slot_ = 0;
  uint64_t cpu_seconds_ = 0;
  int thread_limit_ = 0; // 0: it has no way to start one
  int64_t resident_kib_ = 0;
  int resident_limit_kib_ = 0; // where the address space is not limited; 0: none
  double cpu_used_ = 0.0;
  std::chrono::nanoseconds load_time_{0};
  std::chrono::nanoseconds worked_{0};
  std::optional<size_t> died_at_;
};

} // namespace kevolve
