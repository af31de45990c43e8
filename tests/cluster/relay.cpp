#include "tests/cluster/relay.hpp"

#include <doctest/doctest.h>

#include <arpa/inet.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <set>

namespace kevolve::test {

namespace {

sockaddr_in loopback(int port) {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  a.sin_port = htons(static_cast<uint16_t>(port));
  return a;
}

} // namespace

relay::relay(int to_port) : to_port_(to_port) {
  listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  auto a = loopback(0);
  socklen_t size = sizeof a;
  auto* address = reinterpret_cast<sockaddr*>(&a);
  REQUIRE(::bind(listening_, address, size) == 0);
  REQUIRE(::listen(listening_, 64) == 0);
  REQUIRE(::getsockname(listening_, address, &size) == 0);
  port_ = ntohs(a.sin_port);
  thread_ = std::thread{[this] { run(); }};
}

relay::~relay() {
  stop_ = true;
  ::eventfd_write(wake_, 1);
  thread_.join();
  std::set<int> open{listening_, wake_};
  for (const auto& w : ways_)
    open.insert({w.from, w.to});
  for (const auto fd : open)
    ::close(fd);
}

void relay::delay(std::chrono::milliseconds how_long) {
  delay_ms_ = how_long.count();
  ::eventfd_write(wake_, 1);
}

void relay::silence(bool on) {
  silent_ = on;
  ::eventfd_write(wake_, 1);
}

void relay::lose_answers(bool on) {
  loses_ = on;
}

void relay::take_connection() {
  const auto near = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
  const auto far = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto a = loopback(to_port_);
  if (near >= 0 && ::connect(far, reinterpret_cast<const sockaddr*>(&a), sizeof a) == 0) {
    ways_.push_back({near, far, false, {}, false});
    ways_.push_back({far, near, true, {}, false});
    return;
  }
  ::close(near);
  ::close(far);
}

// Returns false at the end of the stream.
bool relay::read_from(way& w) const {
  std::string bytes(size_t{64} << 10U, '\0');
  const auto n = ::read(w.from, bytes.data(), bytes.size());
  if (n <= 0 || (loses_ && w.answers))
    return false;
  bytes.resize(static_cast<size_t>(n));
  w.held.push_back({clock::now() + std::chrono::milliseconds{delay_ms_.load()}, std::move(bytes)});
  return true;
}

bool relay::pass_on(way& w) const {
  for (; !w.held.empty() && w.held.front().due <= clock::now(); w.held.pop_front()) {
    const auto& bytes = w.held.front().bytes;
    for (size_t sent = 0; sent < bytes.size();) {
      const auto n = ::send(w.to, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0)
        return false;
      sent += static_cast<size_t>(n);
    }
  }
  return true;
}

void relay::run() {
  while (!stop_) {
    const bool silent = silent_;
    std::vector<pollfd> on{{wake_, POLLIN, 0}, {listening_, static_cast<short>(silent ? 0 : POLLIN), 0}};
    auto limit = std::chrono::milliseconds{-1};
    for (const auto& w : ways_) {
      on.push_back({w.from, static_cast<short>(silent || w.ended ? 0 : POLLIN), 0});
      if (silent || w.held.empty())
        continue;
      const auto left = std::max(std::chrono::ceil<std::chrono::milliseconds>(w.held.front().due - clock::now()),
                                 std::chrono::milliseconds{0});
      limit = limit.count() < 0 ? left : std::min(limit, left);
    }
    if (silent) // a closed connection would wake it all the time
      on.resize(1);
    ::poll(on.data(), on.size(), static_cast<int>(limit.count()));
    eventfd_t changes = 0;
    ::eventfd_read(wake_, &changes);
    if (silent_)
      continue;
    std::set<int> ended;
    for (size_t i = 0; i < ways_.size(); ++i) {
      auto& w = ways_[i];
      if (i + 2 < on.size() && (on[i + 2].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !w.ended)
        w.ended = !read_from(w);
      if (!pass_on(w) || (w.ended && w.held.empty()))
        ended.insert({w.from, w.to});
    }
    std::erase_if(ways_, [&](const auto& w) { return ended.contains(w.from); });
    for (const auto fd : ended)
      ::close(fd);
    if (on.size() > 1 && (on[1].revents & POLLIN) != 0)
      take_connection();
  }
}

} // namespace kevolve::test
