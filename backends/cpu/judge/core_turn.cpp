#include "backends/cpu/judge/core_turn.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
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

// One wait for a core, at its gate and then at the core itself.
class wait_for_core {
public:
  wait_for_core(int core, std::chrono::milliseconds limit, const std::function<void()>& waiting,
                const std::function<bool()>& given_up)
      : core_(core), until_(std::chrono::steady_clock::now() + limit), waiting_(waiting), given_up_(given_up) {}

  result<void> lock(int fd) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0)
      return {};
    say();
    interruption alarm;
    while (::flock(fd, LOCK_EX) != 0) {
      if (errno != EINTR)
        return fail(errc::io, "core " + std::to_string(core_) + ": " + std::strerror(errno));
      if (given_up_())
        return fail(errc::cancelled, "given up while another judge had core " + std::to_string(core_));
      if (std::chrono::steady_clock::now() - said_ >= say_again_after)
        say();
      if (std::chrono::steady_clock::now() > until_)
        return fail(errc::timed_out, "another judge has core " + std::to_string(core_));
    }
    return {};
  }

private:
  void say() {
    waiting_();
    said_ = std::chrono::steady_clock::now();
  }

  int core_;
  std::chrono::steady_clock::time_point until_;
  std::chrono::steady_clock::time_point said_;
  const std::function<void()>& waiting_;
  const std::function<bool()>& given_up_;
};

// Says when the turn began, to whoever reads the machine's locks: at this place in the file. It keeps nobody out.
void note_begin(int fd) {
  using namespace std::chrono;
  struct flock mark{};
  mark.l_type = F_RDLCK;
  mark.l_whence = SEEK_SET;
  mark.l_start = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
  mark.l_len = 1;
  ::fcntl(fd, F_SETLK, &mark);
}

} // namespace

result<core_turn> core_turn::take(int core, std::chrono::milliseconds limit, const std::function<void()>& waiting,
                                  const std::function<bool()>& given_up) {
  // The kernel's own directory of the core: every process sees the same one, may open it and cannot replace it.
  auto place = "/sys/devices/system/cpu/cpu" + std::to_string(core);
  core_turn turn{::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (turn.fd_ < 0)
    return turn;
  // The gate: who waits for the core holds it, so that the one who gives the core up queues behind. A waiter that
  // dies leaves it as it leaves the core.
  core_turn gate{::open((place + "/uevent").c_str(), O_RDONLY | O_CLOEXEC)};
  wait_for_core wait{core, limit, waiting, given_up};
  for (auto fd : {gate.fd_, turn.fd_})
    if (auto locked = fd < 0 ? result<void>{} : wait.lock(fd); !locked)
      return tl::unexpected(locked.error());
  note_begin(turn.fd_);
  return turn;
}

core_turn::core_turn(core_turn&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

core_turn::~core_turn() {
  if (fd_ >= 0)
    ::close(fd_);
}

} // namespace kevolve
