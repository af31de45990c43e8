#include "tools/kevolve/stop_signal.hpp"

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

stop_signal::stop_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC);
  came_ = ::eventfd(0, EFD_CLOEXEC);
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
      if (seen_.exchange(static_cast<int>(info.ssi_signo)) != 0)
        ::_exit(exit_code::interrupted);
      raise_event(came_);
    }
  }};
}

stop_signal::~stop_signal() {
  raise_event(done_);
  watcher_.join();
  for (auto fd : {signals_, came_, done_})
    ::close(fd);
}

bool stop_signal::wait_for(std::chrono::milliseconds limit) const {
  pollfd fd{came_, POLLIN, 0};
  return ::poll(&fd, 1, static_cast<int>(limit.count())) > 0;
}

} // namespace kevolve
