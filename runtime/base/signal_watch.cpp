#include "runtime/base/signal_watch.hpp"

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

signal_watch::signal_watch(std::initializer_list<int> numbers, std::function<void(int)> take) : take_(std::move(take)) {
  sigset_t set;
  sigemptyset(&set);
  for (auto number : numbers)
    sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC);
  came_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  done_ = ::eventfd(0, EFD_CLOEXEC);
  watcher_ = std::thread{[this] { run(); }};
}

void signal_watch::run() {
  for (;;) {
    pollfd fds[2] = {{signals_, POLLIN, 0}, {done_, POLLIN, 0}};
    if (::poll(fds, 2, -1) < 0)
      continue;
    if (fds[1].revents != 0)
      return;
    signalfd_siginfo info{};
    if (::read(signals_, &info, sizeof info) != static_cast<ssize_t>(sizeof info))
      continue;
    take_(static_cast<int>(info.ssi_signo));
    raise_event(came_);
  }
}

signal_watch::~signal_watch() {
  raise_event(done_);
  watcher_.join();
  for (auto fd : {signals_, came_, done_})
    ::close(fd);
}

bool signal_watch::wait_for(std::chrono::milliseconds limit) const {
  pollfd fd{came_, POLLIN, 0};
  return ::poll(&fd, 1, static_cast<int>(limit.count())) > 0;
}

void signal_watch::forget() const {
  uint64_t count = 0;
  [[maybe_unused]] auto n = ::read(came_, &count, sizeof count);
}

} // namespace kevolve
