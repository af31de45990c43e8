// Tests control groups: their paths on various machines, and their effect on this one.
#include "runtime/base/control_group.hpp"

#include <doctest/doctest.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <functional>
#include <vector>

using namespace kevolve;

namespace {

constexpr uint64_t mib = uint64_t{1} << 20U;
constexpr int no_group = 77;

struct ended {
  pid_t pid = 0;
  int status = 0;
};

ended run_child(const std::function<int()>& child) {
  ended out;
  out.pid = ::fork();
  if (out.pid == 0)
    ::_exit(child());
  ::waitpid(out.pid, &out.status, 0);
  return out;
}

// Writes to that much memory; returns 0 on success.
int touch(uint64_t bytes) {
  auto* block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED)
    return 1;
  std::memset(block, 1, bytes);
  return static_cast<volatile char*>(block)[bytes - 1] == 1 ? 0 : 1;
}

// Returns how many of `wanted` processes could be alive at once.
int fork_some(int wanted) {
  std::vector<pid_t> started;
  for (int i = 0; i < wanted; ++i) {
    const auto pid = ::fork();
    if (pid < 0)
      break;
    if (pid == 0) {
      ::pause();
      ::_exit(0);
    }
    started.push_back(pid);
  }
  // SIGKILL, since doctest reports a failed test on a signal that can be caught.
  for (const auto pid : started)
    ::kill(pid, SIGKILL);
  while (::wait(nullptr) > 0) {
  }
  return static_cast<int>(started.size());
}

bool skipped(int status) {
  if (!WIFEXITED(status) || WEXITSTATUS(status) != no_group)
    return false;
  MESSAGE("skipped: limits of a control group (none can be made here: kevolve doctor says why)");
  return true;
}

} // namespace

TEST_CASE("a group is found on version 2, on version 1, and on both") {
  const auto v2 = find_groups("0::/system.slice/kevolved.service\n",
                              "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n");
  CHECK(v2.unified);
  CHECK(v2.memory == "/sys/fs/cgroup/system.slice/kevolved.service");
  CHECK(v2.processes == v2.memory);
  const auto contained = find_groups(
      "0::/\n", "900 890 0:26 / /sys/fs/cgroup ro,nosuid,nodev - cgroup2 cgroup rw,nsdelegate,memory_recursiveprot\n");
  CHECK(contained.memory == "/sys/fs/cgroup");
  const std::string both = "33 32 0:29 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
                           "36 32 0:32 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n";
  const std::string unified = "38 32 0:34 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup rw\n";
  for (const auto& mounts : {both + unified, unified + both}) {
    const auto v1 = find_groups("8:pids:/\n4:memory:/jobs/one\n0::/\n", mounts);
    CHECK_FALSE(v1.unified);
    CHECK(v1.memory == "/sys/fs/cgroup/memory/jobs/one");
    CHECK(v1.processes == "/sys/fs/cgroup/pids");
  }
  // A container sees only its own part of the hierarchy.
  const auto part = find_groups("4:cpu,memory:/docker/abc/inner\n8:pids:/docker/abc\n",
                                "33 32 0:29 /docker/abc /cg/memory rw - cgroup cgroup rw,cpu,memory\n"
                                "36 32 0:32 /docker/abc /cg/pids rw - cgroup cgroup rw,pids\n");
  CHECK(part.memory == "/cg/memory/inner");
  CHECK(part.processes == "/cg/pids");
  for (const auto* mounts : {"", "garbage", "1 2 3 - cgroup\n", "23 1 0:1 / /proc rw - proc proc rw\n"})
    CHECK(find_groups("0::/x\n", mounts).memory.empty());
}

TEST_CASE("a process over its group's memory limit is killed, one below it is not") {
  const auto with_limit = [](uint64_t limit, uint64_t taken) {
    return run_child([&] { return enter_own_group({limit, 64}).empty() ? touch(taken) : no_group; }).status;
  };
  const auto fits = with_limit(256 * mib, 64 * mib);
  if (skipped(fits))
    return;
  CHECK(fits == 0);
  const auto beyond = with_limit(64 * mib, 256 * mib);
  CHECK(WIFSIGNALED(beyond));
  CHECK(WTERMSIG(beyond) == SIGKILL);
}

TEST_CASE("a group bounds its processes, and is removed when they have ended") {
  const auto [pid, status] =
      run_child([] { return enter_own_group({256 * mib, 8}).empty() ? fork_some(20) : no_group; });
  if (skipped(status))
    return;
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7); // the killing process includes itself
  sweep_groups();
  std::error_code ec;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{"/sys/fs/cgroup", ec})
    CHECK(entry.path().filename() != "kevolve-" + std::to_string(pid));
}
