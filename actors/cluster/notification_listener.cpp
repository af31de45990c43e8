#include "actors/cluster/notification_listener.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

namespace kevolve {

namespace {

constexpr auto try_again_after = std::chrono::milliseconds{500};
// A dead peer says nothing: the connection is tried at this interval.
constexpr auto look_every = std::chrono::milliseconds{5'000};

} // namespace

notification_listener::notification_listener(std::function<result<postgres::connection_options>()> options,
                                             std::vector<std::string> channels, callback told)
    : options_(std::move(options)), channels_(std::move(channels)), told_(std::move(told)),
      stop_(::eventfd(0, EFD_CLOEXEC)), thread_([this] { run(); }) {}

notification_listener::~notification_listener() {
  const uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(stop_, &one, sizeof one);
  thread_.join();
  ::close(stop_);
}

bool notification_listener::stopped(std::chrono::milliseconds wait) const {
  pollfd on{stop_, POLLIN, 0};
  return ::poll(&on, 1, static_cast<int>(wait.count())) > 0;
}

void notification_listener::run() {
  while (!stopped(std::chrono::milliseconds{0})) {
    auto options = options_();
    auto c = options ? postgres::connection::open(*options) : tl::unexpected(options.error());
    const auto listens = c && std::all_of(channels_.begin(), channels_.end(), [&](const auto& channel) {
                           return (*c)->listen(channel).has_value();
                         });
    if (!listens) {
      if (stopped(try_again_after))
        return;
      continue;
    }
    told_({}, {});
    for (auto idle_since = std::chrono::steady_clock::now();;) {
      auto told = (*c)->wait(stop_, look_every);
      if (stopped(std::chrono::milliseconds{0}))
        return;
      const auto now = std::chrono::steady_clock::now();
      if (told && !*told && now - idle_since >= look_every) {
        idle_since = now;
        if (!(*c)->run({"select 1", {}}))
          break;
        continue;
      }
      if (!told)
        break;
      if (*told) {
        idle_since = now;
        told_((*told)->channel, (*told)->payload);
      }
    }
  }
}

} // namespace kevolve
