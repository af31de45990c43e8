#include "backends/cpu/profile/local_sandbox.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace kevolve {

namespace {

// Nobody can give a step up but its deadline.
class nobody : public attention {
public:
  int descriptor() const override { return -1; } // never readable
  bool attend() override { return true; }
};

// A locked step reports on descriptor 3, which must not be the lock's own.
void reserve_report_descriptor() {
  static const bool done = [] {
    const auto fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd > 3)
      ::close(fd);
    return true;
  }();
  static_cast<void>(done);
}

} // namespace

step_result local_pass_sandbox::run_tool(const locked_command& command, const std::vector<std::string>& readable) {
  reserve_report_descriptor();
  sandbox_policy policy;
  policy.profile = sandbox_profile::compiler;
  policy.readable = readable;
  for (const auto* place : {"/usr/include", "/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/bin", "/lib", "/lib64",
                            "/etc/ld.so.cache", "/dev/null"})
    policy.readable.emplace_back(place);
  policy.writable = {command.directory};
  policy.memory_bytes = uint64_t{8} << 30U;
  policy.file_size_bytes = uint64_t{1} << 30U;
  policy.cpu_seconds = 600;
  policy.keep_fds = {0, 1, 2, 3};
  policy.parent_pid = ::getpid();
  const auto lock = sandbox::prepare(policy);
  nobody listener;
  return lock ? run_locked(command, *lock, listener) : step_result{step_end::not_started, 0, lock.error()};
}

step_result local_pass_sandbox::run_candidate(const locked_command& command) {
  return run_tool(command, {});
}

} // namespace kevolve
