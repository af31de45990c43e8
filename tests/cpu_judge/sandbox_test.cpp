// Tests the compilers' sandbox: operations that a locked process may and may not do.
#include "runtime/base/sandbox.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

using namespace kevolve;

namespace {

sandbox_policy compiler_policy() {
  sandbox_policy p;
  for (const char* path : {"/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache"})
    p.readable.emplace_back(path);
  p.writable.emplace_back("/dev/null");
  p.file_size_bytes = 1U << 20U;
  p.parent_pid = getpid();
  return p;
}

// Returns the exit status of `body` in a child locked by the policy; the negative number of the signal that ended it.
int locked(const sandbox_policy& policy, const std::function<int()>& body) {
  auto s = sandbox::prepare(policy);
  REQUIRE_MESSAGE(s.has_value(), to_string(s.error()));
  const auto pid = fork();
  if (pid == 0) {
    if (!s->lock())
      _exit(250);
    _exit(body());
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

} // namespace

TEST_CASE("the level names the active layers, and missing ones have a reason") {
  const auto s = detect_sandbox();
  CHECK(s.level.find("rlimits") != std::string::npos);
  CHECK((s.landlock_abi > 0) == (s.level.find("landlock") == 0));
  for (const auto& [layer, lack] : s.missing)
    CHECK_MESSAGE(!lack.remedy.empty(), layer);
  auto lock = sandbox::prepare(compiler_policy());
  REQUIRE(lock.has_value());
  CHECK(lock->level().find("seccomp") != std::string::npos);
}

TEST_CASE("a locked compiler runs the programs that it may read") {
  CHECK(locked(compiler_policy(),
               [] {
                 execl("/bin/true", "true", nullptr);
                 return errno;
               })
        == 0);
}

TEST_CASE("a locked compiler reaches no other file, no network and no other process") {
  CHECK(locked(compiler_policy(), [] { return socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0; }) == EPERM);
  CHECK(locked(compiler_policy(), [] { return kill(getppid(), 0) < 0 ? errno : 0; }) == EPERM);
  if (detect_sandbox().landlock_abi == 0) {
    MESSAGE("no Landlock on this kernel: paths are not bounded");
    return;
  }
  CHECK(locked(compiler_policy(), [] { return open("/etc/passwd", O_RDONLY) < 0 ? errno : 0; }) == EACCES);
  CHECK(locked(compiler_policy(), [] { return open("/usr/kevolve-x", O_WRONLY | O_CREAT, 0600) < 0 ? errno : 0; })
        == EACCES);
}

TEST_CASE("/proc/self of a policy is the locked process's own") {
  if (detect_sandbox().landlock_abi == 0) {
    MESSAGE("no Landlock on this kernel: paths are not bounded");
    return;
  }
  auto policy = compiler_policy();
  policy.readable.emplace_back("/proc/self");
  const auto of_parent = "/proc/" + std::to_string(getpid()) + "/status";
  CHECK(locked(policy, [] { return open("/proc/self/maps", O_RDONLY) < 0 ? errno : 0; }) == 0);
  CHECK(locked(policy, [&] { return open(of_parent.c_str(), O_RDONLY) < 0 ? errno : 0; }) == EACCES);
}

TEST_CASE("paths made writable by a policy can be written up to its limit") {
  const auto* base = std::getenv("TMPDIR");
  std::string folder = std::string{base != nullptr ? base : "/tmp"} + "/kevolve-sandbox-XXXXXX";
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  auto p = compiler_policy();
  p.writable.push_back(folder);
  const auto file = folder + "/out";
  CHECK(locked(p,
               [&] {
                 const auto fd = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
                 return fd >= 0 && write(fd, "x", 1) == 1 ? 0 : errno;
               })
        == 0);
  CHECK(locked(p,
               [&] {
                 const auto fd = open(file.c_str(), O_WRONLY);
                 return pwrite(fd, "x", 1, 2 << 20) == 1 ? 0 : 1;
               })
        == -SIGXFSZ);
  std::filesystem::remove_all(folder);
}

TEST_CASE("all descriptors but the listed ones are closed") {
  const auto fd = open("/dev/null", O_RDONLY);
  REQUIRE(fd > 2);
  CHECK(locked(compiler_policy(), [fd] { return fcntl(fd, F_GETFD) < 0 ? errno : 0; }) == EBADF);
  auto p = compiler_policy();
  p.keep_fds.push_back(fd);
  CHECK(locked(p, [fd] { return fcntl(fd, F_GETFD) < 0 ? errno : 0; }) == 0);
  close(fd);
}

TEST_CASE("the profile of a running candidate kills where the compiler's only refuses") {
  auto p = compiler_policy();
  p.profile = sandbox_profile::running;
  CHECK(locked(p, [] { return open("/etc/passwd", O_RDONLY); }) == -SIGSYS);
  CHECK(locked(p, [] { return fork() == 0 ? 0 : 1; }) == -SIGSYS);
  CHECK(locked(p, [] { return kill(getppid(), SIGTERM); }) == -SIGSYS);
}

TEST_CASE("the profile of a sanitised replay refuses files and pipes, and kills for everything else") {
  auto p = compiler_policy();
  p.profile = sandbox_profile::replaying;
  p.file_size_bytes = 0;
  const auto open_a_file = [] { return open("/proc/self/maps", O_RDONLY) < 0 ? errno : 0; };
  CHECK(locked(p, open_a_file) == EACCES);
  CHECK(locked(p,
               [] {
                 int ends[2]; // NOLINT(modernize-avoid-c-arrays)
                 return pipe(ends) < 0 ? errno : 0;
               })
        == EPERM);
  CHECK(locked(p, [] { return socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0; }) == -SIGSYS);
  CHECK(locked(p, [] { return static_cast<int>(fork()); }) == -SIGSYS);
  p.profile = sandbox_profile::running;
  CHECK(locked(p, open_a_file) == -SIGSYS);
}
