#include "tools/bench/launch_floor.hpp"

#include "runtime/base/confinement.hpp"
#include "runtime/base/control_group.hpp"
#include "runtime/base/sandbox.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <vector>

namespace kevolve::bench {

namespace {

using std::chrono::steady_clock;

constexpr int word_fd = 3;
constexpr int control_fd = 64; // above every descriptor that a child keeps

enum class launch_kind : char { cloned = 'c', locked = 'l' };

[[noreturn]] void live(launch_kind kind, const sandbox& loading, const sandbox& running) {
  char word = 1;
  if (kind == launch_kind::locked && (!running.pin_syscalls() || !loading.lock() || !running.lock_pinned_syscalls()))
    word = 0;
  if (write(word_fd, &word, 1) != 1)
    _exit(1);
  while (read(word_fd, &word, 1) < 0) { // nobody writes; waits until the judge stops and ends it
  }
  _exit(1);
}

// Runs the parent of the measured processes, like the zygote for candidates.
[[noreturn]] void serve(pid_t judge, int word, int control) {
  if (dup2(control, control_fd) < 0 || dup2(word, word_fd) < 0)
    _exit(1);
  const auto around = confine(candidate_confinement);
  sandbox_policy policy;
  policy.command_fd = word_fd;
  policy.parent_pid = judge;
  policy.parent_outside = around.own_processes;
  policy.profile = sandbox_profile::loading;
  const auto loading = sandbox::prepare(policy);
  policy.profile = sandbox_profile::running;
  const auto running = sandbox::prepare(policy);
  if (!loading || !running)
    _exit(1);
  auto kind = launch_kind::cloned;
  while (read(control_fd, &kind, 1) == 1) {
    const auto pid = static_cast<pid_t>(syscall(SYS_clone, CLONE_PARENT, nullptr, nullptr, nullptr, nullptr));
    if (pid == 0)
      live(kind, *loading, *running);
    if (write(control_fd, &pid, sizeof pid) != static_cast<ssize_t>(sizeof pid))
      break;
  }
  _exit(0);
}

// Returns the nanoseconds from the request to the stop.
result<double> launch(launch_kind kind, int word, int control) {
  const auto begin = steady_clock::now();
  pid_t pid = -1;
  char said = 0;
  if (write(control, &kind, 1) != 1 || read(control, &pid, sizeof pid) != static_cast<ssize_t>(sizeof pid) || pid <= 0)
    return tl::unexpected<failure>(from_errno(errno, "launching an empty process"));
  const bool up = read(word, &said, 1) == 1 && said == 1;
  int status = 0;
  kill(pid, SIGSTOP);
  waitpid(pid, &status, WUNTRACED);
  const auto took = steady_clock::now() - begin;
  if (WIFSTOPPED(status)) {
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
  }
  if (!up)
    return fail(errc::internal, "an empty process could not be locked");
  return std::chrono::duration<double, std::nano>(took).count();
}

} // namespace

result<json> launch_floor(int core, int count) {
  std::array<int, 2> control{};
  std::array<int, 2> word{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control.data()) != 0
      || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, word.data()) != 0)
    return tl::unexpected<failure>(from_errno(errno, "sockets"));
  const auto judge = getpid();
  const auto parent = fork();
  if (parent < 0)
    return tl::unexpected<failure>(from_errno(errno, "forking the parent of the measured processes"));
  if (parent == 0) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<size_t>(core), &one);
    sched_setaffinity(0, sizeof one, &one);
    serve(judge, word[1], control[1]);
  }
  close(control[1]);
  close(word[1]);
  result<json> out = json::object();
  for (const auto& [kind, name] : {std::pair{launch_kind::cloned, "cloned_ns"}, {launch_kind::locked, "locked_ns"}}) {
    std::vector<double> took;
    for (int i = 0; out && i < count; ++i) {
      const auto one = launch(kind, word[0], control[0]);
      if (one)
        took.push_back(*one);
      else
        out = tl::unexpected(one.error());
    }
    if (out)
      (*out)[name] = median(took);
  }
  close(control[0]);
  close(word[0]);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  sweep_groups();
  return out;
}

} // namespace kevolve::bench
