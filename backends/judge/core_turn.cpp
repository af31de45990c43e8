#include "backends/judge/core_turn.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace kevolve {

namespace {

constexpr auto say_again_after = std::chrono::seconds{1};

// Interrupts a blocking call every 100 ms while it lives. Only a blocked process gets the lock between two jobs of the
// holder; polling would miss that moment.
class interruption {
public:
  interruption() {
    struct sigaction action{};
    action.sa_handler = [](int) {}; // without SA_RESTART, so that the call returns
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

// Waits for a core, first at its gate and then at the core itself.
class wait_for_core {
public:
  wait_for_core(int core, std::chrono::milliseconds limit, const std::function<void()>& waiting,
                const std::function<bool()>& given_up)
      : core_(core), until_(std::chrono::steady_clock::now() + limit), waiting_(waiting), given_up_(given_up) {}

  result<void> lock(int fd, int how) {
    if (::flock(fd, how | LOCK_NB) == 0)
      return {};
    say();
    interruption alarm;
    while (::flock(fd, how) != 0) {
      if (errno != EINTR)
        return fail(errc::io, "core " + std::to_string(core_) + ": " + std::strerror(errno));
      if (given_up_())
        return fail(errc::cancelled, "given up while others had core " + std::to_string(core_));
      if (std::chrono::steady_clock::now() - said_ >= say_again_after)
        say();
      if (std::chrono::steady_clock::now() > until_)
        return fail(errc::timed_out, "others have core " + std::to_string(core_));
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

// Records the start of the turn as the position of a shared lock, for readers of the machine's lock list. It excludes
// nobody.
void note_begin(int fd) {
  using namespace std::chrono;
  struct flock mark{};
  mark.l_type = F_RDLCK;
  mark.l_whence = SEEK_SET;
  mark.l_start = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
  mark.l_len = 1;
  ::fcntl(fd, F_SETLK, &mark);
}

// Returns the kernel's own directory of the core. Every process sees the same one, may open it and cannot replace it.
std::string place_of(int core) {
  return "/sys/devices/system/cpu/cpu" + std::to_string(core);
}

int open_core(int core) {
  return ::open(place_of(core).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

// Opens the gate. A process holds it while it waits for the core, so that the previous holder queues behind it. The
// kernel releases it if the process dies.
int open_gate(int core) {
  return ::open((place_of(core) + "/uevent").c_str(), O_RDONLY | O_CLOEXEC);
}

} // namespace

result<core_turn> core_turn::lock(int core, int how, std::chrono::milliseconds limit,
                                  const std::function<void()>& waiting, const std::function<bool()>& given_up) {
  core_turn turn{open_core(core)};
  if (turn.fd_ < 0)
    return turn;
  const core_turn gate{open_gate(core)};
  wait_for_core wait{core, limit, waiting, given_up};
  if (auto locked = gate.fd_ < 0 ? result<void>{} : wait.lock(gate.fd_, LOCK_EX); !locked)
    return tl::unexpected(locked.error());
  if (auto locked = wait.lock(turn.fd_, how); !locked)
    return tl::unexpected(locked.error());
  return turn;
}

result<core_turn> core_turn::take(int core, std::chrono::milliseconds limit, const std::function<void()>& waiting,
                                  const std::function<bool()>& given_up) {
  auto turn = lock(core, LOCK_EX, limit, waiting, given_up);
  if (turn && turn->fd_ >= 0)
    note_begin(turn->fd_);
  return turn;
}

result<core_turn> core_turn::share(int core, std::chrono::milliseconds limit, const std::function<void()>& waiting,
                                   const std::function<bool()>& given_up) {
  return lock(core, LOCK_SH, limit, waiting, given_up);
}

std::optional<core_turn> core_turn::try_share(int core) {
  core_turn turn{open_core(core)};
  if (turn.fd_ < 0)
    return turn;
  const core_turn gate{open_gate(core)};
  if ((gate.fd_ >= 0 && ::flock(gate.fd_, LOCK_EX | LOCK_NB) != 0) || ::flock(turn.fd_, LOCK_SH | LOCK_NB) != 0)
    return std::nullopt;
  return turn;
}

result<std::vector<core_turn>> take_cores(std::vector<int> cores, std::chrono::milliseconds limit,
                                          const std::function<void(int core)>& waiting,
                                          const std::function<bool()>& given_up) {
  std::sort(cores.begin(), cores.end());
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
  std::vector<core_turn> out;
  for (auto core : cores) {
    auto turn = core_turn::take(core, limit, [&] { waiting(core); }, given_up);
    if (!turn)
      return tl::unexpected(turn.error());
    out.push_back(std::move(*turn));
  }
  return out;
}

result<shared_cores> share_cores(const std::vector<int>& cores, std::chrono::milliseconds limit,
                                 const std::function<void(int core)>& waiting, const std::function<bool()>& given_up) {
  shared_cores out;
  for (auto core : cores)
    if (auto turn = core_turn::try_share(core)) {
      out.cores.push_back(core);
      out.turns.push_back(std::move(*turn));
    }
  if (!out.cores.empty() || cores.empty())
    return out;
  const auto core = cores.front();
  auto turn = core_turn::share(core, limit, [&] { waiting(core); }, given_up);
  if (!turn)
    return tl::unexpected(turn.error());
  out.cores.push_back(core);
  out.turns.push_back(std::move(*turn));
  return out;
}

core_turn::core_turn(core_turn&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

core_turn::~core_turn() {
  if (fd_ >= 0)
    ::close(fd_);
}

} // namespace kevolve
