#include "backends/cpu/judge/core_turn.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

namespace kevolve {

namespace {

constexpr auto say_again_after = std::chrono::seconds{1};

// Interrupts a blocking call every 100 ms while it lives. A blocked waiter gets its turn between two jobs of the
// holder, which one that only looks now and then would miss for ever.
class interruption {
public:
  interruption() {
    struct sigaction action{};
    action.sa_handler = [](int) {}; // without SA_RESTART: the call returns
    sigaction(SIGALRM, &action, &before_);
    itimerval every{{0, 100'000}, {0, 100'000}};
    setitimer(ITIMER_REAL, &every, nullptr);
  }
  interruption(const interruption&) = delete;
  interruption& operator=(const interruption&) = delete;
  ~interruption() {
    itimerval off{};
    setitimer(ITIMER_REAL, &off, nullptr);
    sigaction(SIGALRM, &before_, nullptr);
  }

private:
  struct sigaction before_{};
};

} // namespace

result<core_turn> core_turn::take(int core, std::chrono::milliseconds limit, const std::function<void()>& waiting,
                                  const std::function<bool()>& given_up) {
  // The kernel's own directory of the core: every process sees the same one, may open it and cannot replace it.
  auto place = "/sys/devices/system/cpu/cpu" + std::to_string(core);
  core_turn turn{::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (turn.fd_ < 0 || ::flock(turn.fd_, LOCK_EX | LOCK_NB) == 0)
    return turn;
  waiting();
  auto said = std::chrono::steady_clock::now();
  auto until = said + limit;
  interruption alarm;
  while (::flock(turn.fd_, LOCK_EX) != 0) {
    if (errno != EINTR)
      return fail(errc::io, place + ": " + std::strerror(errno));
    if (given_up())
      return fail(errc::cancelled, "given up while another judge had core " + std::to_string(core));
    auto now = std::chrono::steady_clock::now();
    if (now - said >= say_again_after) {
      waiting();
      said = now;
    }
    if (now > until)
      return fail(errc::timed_out, "another judge has core " + std::to_string(core));
  }
  return turn;
}

core_turn::core_turn(core_turn&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

core_turn::~core_turn() {
  if (fd_ >= 0)
    ::close(fd_);
}

} // namespace kevolve
