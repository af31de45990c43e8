#include "backends/compile/locked_command.hpp"

#include "runtime/base/redirect.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace kevolve {

namespace {

using steady = std::chrono::steady_clock;
constexpr auto tick = std::chrono::milliseconds{500};

// A child's error report if it cannot start the compiler. A successful exec closes the pipe without a report.
struct start_report {
  errc code = errc::none;
  std::array<char, 240> text{};
};

[[noreturn]] void give_up(int report, const failure& why) {
  start_report r;
  r.code = why.code;
  why.detail.copy(r.text.data(), r.text.size() - 1);
  auto ignored = ::write(report, &r, sizeof r);
  static_cast<void>(ignored);
  ::_exit(127);
}

[[noreturn]] void become(const locked_command& c, char* const* argv, const sandbox& lock, int report) {
  ::setpgid(0, 0);
  // Makes outputs reproducible: node ids in a syntax tree are addresses.
  ::personality(ADDR_NO_RANDOMIZE);
  if (::chdir(c.directory.c_str()) != 0)
    give_up(report, from_errno(errno, c.directory));
  if (!redirect("/dev/null", O_RDONLY, 0) || !redirect(c.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 1)
      || !redirect(c.diagnostics.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 2))
    give_up(report, from_errno(errno, "cannot write in " + c.directory));
  // The sandbox closes all descriptors except 0, 1, 2 and this one.
  if (::dup2(report, 3) != 3 || ::fcntl(3, F_SETFD, FD_CLOEXEC) != 0)
    give_up(report, from_errno(errno, "dup2"));
  if (auto locked = lock.lock(); !locked)
    give_up(3, locked.error());
  // gcc takes the date of __DATE__ and __TIME__ from this variable.
  static char epoch[] = "SOURCE_DATE_EPOCH=0";
  std::array<char*, 2> environment{epoch, nullptr};
  ::execve(argv[0], argv, environment.data());
  give_up(3, from_errno(errno, c.argv[0]));
}

class child_watch {
public:
  explicit child_watch(pid_t pid) : pid_(pid), fd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}
  child_watch(const child_watch&) = delete;
  child_watch& operator=(const child_watch&) = delete;
  ~child_watch() {
    if (fd_ >= 0)
      ::close(fd_);
  }

  // Returns -1 on kernels without pidfds; the wait then polls every few milliseconds.
  int descriptor() const { return fd_; }

  bool reap(int& status) const {
    for (;;) {
      auto r = ::waitpid(pid_, &status, WNOHANG);
      if (r == pid_)
        return true;
      if (r == 0 || errno != EINTR)
        return false;
    }
  }

  // Kills the step's process group and waits for the step.
  void kill_and_reap(int& status) const {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }

private:
  pid_t pid_;
  int fd_;
};

step_result watch(const child_watch& child, steady::time_point deadline, attention& listener) {
  int status = 0;
  auto next_tick = steady::now() + tick;
  for (;;) {
    auto now = steady::now();
    if (child.reap(status))
      break;
    if (now >= deadline) {
      child.kill_and_reap(status);
      return {step_end::over_time, 0, {}};
    }
    auto until = std::chrono::ceil<std::chrono::milliseconds>(std::min(deadline, next_tick) - now).count();
    std::array<pollfd, 2> waits{{{listener.descriptor(), POLLIN, 0}, {child.descriptor(), POLLIN, 0}}};
    auto limit = child.descriptor() >= 0 ? until : std::min<long>(until, 2);
    ::poll(waits.data(), waits.size(), static_cast<int>(std::max<long>(limit, 0)));
    auto heard = (waits[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
    if (steady::now() >= next_tick) {
      next_tick = steady::now() + tick;
      heard = true;
    }
    if (heard && !listener.attend()) {
      child.kill_and_reap(status);
      return {step_end::given_up, 0, {}};
    }
  }
  if (WIFSIGNALED(status))
    return {step_end::signalled, WTERMSIG(status), {}};
  return {step_end::exited, WEXITSTATUS(status), {}};
}

} // namespace

step_result run_locked(const locked_command& command, const sandbox& lock, attention& listener) {
  std::vector<char*> argv;
  for (const auto& a : command.argv)
    argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  std::array<int, 2> report{};
  if (::pipe2(report.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    return {step_end::not_started, 0, from_errno(errno, "pipe")};
  auto pid = ::fork();
  if (pid == 0)
    become(command, argv.data(), lock, report[1]);
  auto fork_error = errno;
  ::close(report[1]);
  if (pid < 0) {
    ::close(report[0]);
    return {step_end::not_started, 0, from_errno(fork_error, "cannot fork a compiler")};
  }
  auto out = watch(child_watch{pid}, command.deadline, listener);
  start_report said;
  auto n = ::read(report[0], &said, sizeof said);
  ::close(report[0]);
  if (n == static_cast<ssize_t>(sizeof said)) {
    said.text.back() = 0;
    return {step_end::not_started, 0, {said.code, said.text.data()}};
  }
  return out;
}

} // namespace kevolve
