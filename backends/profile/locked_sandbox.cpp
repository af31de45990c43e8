#include "backends/profile/locked_sandbox.hpp"

#include "backends/profile/work_time.hpp"
#include "runtime/base/sandbox.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace kevolve {

namespace {

constexpr uint64_t most_memory = uint64_t{8} << 30U;
constexpr uint64_t largest_file = uint64_t{1} << 30U;
constexpr uint32_t most_processor_seconds = 600;

// Leaves a step alone until its deadline.
class nobody : public attention {
public:
  int descriptor() const override { return -1; } // never readable
  bool attend() override { return true; }
};

// Holds descriptor 3 for its life, if nobody else does. A locked step reports there, so that it must not be the lock's.
class report_descriptor {
public:
  report_descriptor() : fd_(::open("/dev/null", O_RDONLY | O_CLOEXEC)) {
    if (fd_ > 3)
      ::close(fd_);
  }
  report_descriptor(const report_descriptor&) = delete;
  report_descriptor& operator=(const report_descriptor&) = delete;
  ~report_descriptor() {
    if (fd_ == 3)
      ::close(fd_);
  }

private:
  int fd_;
};

sandbox_policy policy_of(const std::string& folder, const std::vector<std::string>& readable) {
  sandbox_policy policy;
  policy.profile = sandbox_profile::compiler;
  policy.readable = readable;
  for (const auto* place : {"/usr/include", "/usr/local/include", "/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/bin",
                            "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/dev/null"})
    policy.readable.emplace_back(place);
  policy.writable = {folder};
  policy.memory_bytes = most_memory;
  policy.file_size_bytes = largest_file;
  policy.cpu_seconds = most_processor_seconds;
  policy.keep_fds = {0, 1, 2, 3};
  policy.parent_pid = ::getpid();
  return policy;
}

} // namespace

step_result locked_pass_sandbox::run_tool(const locked_command& command, const std::vector<std::string>& readable) {
  const report_descriptor held;
  auto policy = policy_of(command.directory, readable);
  if (command.processor_seconds > 0)
    policy.cpu_seconds = std::min(command.processor_seconds, most_processor_seconds);
  const auto lock = sandbox::prepare(policy);
  if (!lock)
    return {step_end::not_started, 0, lock.error()};
  nobody none;
  const auto before = worked_by_children_s();
  auto end = run_locked(command, *lock, listener_ == nullptr ? none : *listener_);
  // The kernel's limit of processor time ends a step by one of these signals. It counts by ticks, and on a busy
  // machine a step reaches it with less work than getrusage() shows afterwards.
  const bool by_limit = end.end == step_end::signalled && (end.value == SIGKILL || end.value == SIGXCPU);
  constexpr double reached = 0.25;
  if (by_limit && worked_by_children_s() - before >= reached * policy.cpu_seconds)
    return {step_end::over_time, 0, {}};
  return end;
}

result<std::string> locked_pass_sandbox::level() {
  const auto lock = sandbox::prepare(policy_of("/tmp", {}));
  return lock ? result<std::string>{lock->level()} : tl::unexpected(lock.error());
}

} // namespace kevolve
