#include "runtime/base/channel.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace kevolve {

namespace {

using steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Polls for input without sleeping, for at most `how_long`.
void watch_for_input(int fd, std::chrono::microseconds how_long) {
  const auto end = steady::now() + how_long;
  for (pollfd p{fd, POLLIN, 0}; ::poll(&p, 1, 0) == 0 && steady::now() < end;) {
  }
}

// Waits for input until the deadline. A signal does not end the wait.
result<void> await_input(int fd, steady::time_point deadline) {
  for (;;) {
    auto left = std::chrono::duration_cast<milliseconds>(deadline - steady::now()).count();
    pollfd p{fd, POLLIN, 0};
    auto n = ::poll(&p, 1, static_cast<int>(std::clamp<long long>(left, 0, 3'600'000)));
    if (n > 0)
      return {};
    if (n == 0)
      return fail(errc::timed_out, "no frame within the limit");
    if (errno != EINTR)
      return tl::unexpected(from_errno(errno, "poll"));
  }
}

result<void> read_exactly(int fd, char* out, size_t n, steady::time_point deadline) {
  while (n > 0) {
    if (auto ready = await_input(fd, deadline); !ready)
      return ready;
    auto got = ::recv(fd, out, n, 0);
    if (got == 0)
      return fail(errc::io, "the peer closed the channel");
    if (got < 0) {
      if (errno == EINTR)
        continue;
      return tl::unexpected(from_errno(errno, "recv"));
    }
    out += got;
    n -= static_cast<size_t>(got);
  }
  return {};
}

} // namespace

std::string frame_bytes(uint8_t kind, std::string_view payload) {
  auto n = static_cast<uint32_t>(payload.size() + 1);
  std::string out;
  out.reserve(payload.size() + 5);
  for (unsigned i = 0; i < 4; ++i)
    out += static_cast<char>((n >> (8 * i)) & 0xffU);
  out += static_cast<char>(kind);
  out += payload;
  return out;
}

channel::channel(channel&& other) noexcept : fd_(std::exchange(other.fd_, -1)), awake_(other.awake_) {}

channel& channel::operator=(channel&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
    awake_ = other.awake_;
  }
  return *this;
}

channel::~channel() {
  close();
}

void channel::close() {
  if (fd_ >= 0)
    ::close(std::exchange(fd_, -1));
}

result<void> channel::send(uint8_t kind, std::string_view payload) {
  if (payload.size() >= max_frame_bytes)
    return fail(errc::protocol, "frame of " + std::to_string(payload.size()) + " bytes is too large");
  auto bytes = frame_bytes(kind, payload);
  std::string_view rest = bytes;
  while (!rest.empty()) {
    auto n = ::send(fd_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (n < 0) {
      if (errno == EINTR)
        continue;
      if (errno == EAGAIN) {
        pollfd p{fd_, POLLOUT, 0};
        ::poll(&p, 1, -1);
        continue;
      }
      return tl::unexpected(from_errno(errno, "send"));
    }
    rest.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

result<void> channel::send_fds(const std::vector<int>& fds) {
  std::vector<char> control(CMSG_SPACE(fds.size() * sizeof(int)), 0);
  char body = 'F';
  iovec part{&body, 1};
  msghdr m{};
  m.msg_iov = &part;
  m.msg_iovlen = 1;
  m.msg_control = control.data();
  m.msg_controllen = control.size();
  auto* c = CMSG_FIRSTHDR(&m);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
  std::memcpy(CMSG_DATA(c), fds.data(), fds.size() * sizeof(int));
  while (::sendmsg(fd_, &m, MSG_NOSIGNAL) < 0)
    if (errno != EINTR)
      return tl::unexpected(from_errno(errno, "sendmsg"));
  return {};
}

result<frame> channel::receive(milliseconds limit) {
  auto deadline = steady::now() + limit;
  if (awake_.count() > 0)
    watch_for_input(fd_, std::min<std::chrono::microseconds>(awake_, limit));
  std::array<char, 4> head{};
  if (auto r = read_exactly(fd_, head.data(), head.size(), deadline); !r)
    return tl::unexpected(r.error());
  uint32_t n = 0;
  for (unsigned i = 0; i < 4; ++i)
    n |= static_cast<uint32_t>(static_cast<uint8_t>(head[i])) << (8 * i);
  if (n == 0 || n > max_frame_bytes)
    return fail(errc::protocol, "frame length " + std::to_string(n));
  frame out;
  char kind = 0;
  if (auto r = read_exactly(fd_, &kind, 1, deadline); !r)
    return tl::unexpected(r.error());
  out.kind = static_cast<uint8_t>(kind);
  out.payload.resize(n - 1);
  if (auto r = read_exactly(fd_, out.payload.data(), out.payload.size(), deadline); !r)
    return tl::unexpected(r.error());
  return out;
}

result<std::vector<int>> channel::receive_fds(size_t count, milliseconds limit) {
  if (auto ready = await_input(fd_, steady::now() + limit); !ready)
    return tl::unexpected(ready.error());
  std::vector<char> control(CMSG_SPACE(count * sizeof(int)), 0);
  char body = 0;
  iovec part{&body, 1};
  msghdr m{};
  m.msg_iov = &part;
  m.msg_iovlen = 1;
  m.msg_control = control.data();
  m.msg_controllen = control.size();
  auto n = ::recvmsg(fd_, &m, MSG_CMSG_CLOEXEC);
  if (n == 0)
    return fail(errc::io, "the peer closed the channel");
  if (n < 0)
    return tl::unexpected(from_errno(errno, "recvmsg"));
  std::vector<int> fds;
  for (auto* c = CMSG_FIRSTHDR(&m); c != nullptr; c = CMSG_NXTHDR(&m, c))
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
      fds.resize((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
      std::memcpy(fds.data(), CMSG_DATA(c), fds.size() * sizeof(int));
    }
  if (fds.size() == count)
    return fds;
  for (auto fd : fds)
    ::close(fd);
  return fail(errc::protocol, "expected " + std::to_string(count) + " descriptors, got " + std::to_string(fds.size()));
}

bool channel::readable(milliseconds limit) const {
  pollfd p{fd_, POLLIN, 0};
  return ::poll(&p, 1, static_cast<int>(limit.count())) > 0;
}

result<std::pair<channel, channel>> make_channel_pair() {
  std::array<int, 2> fds{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds.data()) != 0)
    return tl::unexpected(from_errno(errno, "socketpair"));
  return std::pair{channel{fds[0]}, channel{fds[1]}};
}

} // namespace kevolve
