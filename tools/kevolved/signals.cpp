#include "tools/kevolved/signals.hpp"

#include "tools/kevolve/exit_codes.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <pthread.h>

namespace kevolve {

namespace {

void raise_event(int fd) {
  uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(fd, &one, sizeof one);
}

} // namespace

daemon_signals::daemon_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (auto number : {SIGINT, SIGTERM, SIGHUP})
    sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC);
  came_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  done_ = ::eventfd(0, EFD_CLOEXEC);
  watcher_ = std::thread{[this] {
    for (;;) {
      pollfd fds[2] = {{signals_, POLLIN, 0}, {done_, POLLIN, 0}};
      if (::poll(fds, 2, -1) < 0)
        continue;
      if (fds[1].revents != 0)
        return;
      signalfd_siginfo info{};
      if (::read(signals_, &info, sizeof info) != static_cast<ssize_t>(sizeof info))
        continue;
      if (info.ssi_signo == SIGHUP)
        reload_ = true;
      else if (stop_.exchange(true))
        ::_exit(exit_code::interrupted);
      raise_event(came_);
    }
  }};
}

daemon_signals::~daemon_signals() {
  raise_event(done_);
  watcher_.join();
  for (auto fd : {signals_, came_, done_})
    ::close(fd);
}

wish daemon_signals::wait_for(std::chrono::milliseconds limit) {
  pollfd fd{came_, POLLIN, 0};
  if (!stop_ && !reload_)
    ::poll(&fd, 1, static_cast<int>(limit.count()));
  uint64_t count = 0;
  [[maybe_unused]] auto n = ::read(came_, &count, sizeof count);
  if (stop_)
    return wish::stop;
  return reload_.exchange(false) ? wish::reload : wish::none;
}

} // namespace kevolve
