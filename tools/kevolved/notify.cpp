#include "tools/kevolved/notify.hpp"

#include "runtime/base/log.hpp"
#include "runtime/base/printable.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

namespace kevolve {

namespace {

std::string taken(const char* name) {
  const auto* value = std::getenv(name);
  std::string out = value == nullptr ? "" : value;
  ::unsetenv(name);
  return out;
}

uint64_t number(const std::string& text) {
  uint64_t out = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size() ? out : 0;
}

} // namespace

notifier::notifier() : socket_(taken("NOTIFY_SOCKET")) {
  auto every = number(taken("WATCHDOG_USEC"));
  auto whom = taken("WATCHDOG_PID");
  if (every > 0 && (whom.empty() || number(whom) == static_cast<uint64_t>(::getpid())))
    watchdog_ = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::microseconds{every});
}

void notifier::send(const std::string& lines) const {
  if (socket_.empty())
    return;
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if ((socket_[0] != '/' && socket_[0] != '@') || socket_.size() >= sizeof to.sun_path)
    return;
  std::memcpy(to.sun_path, socket_.data(), socket_.size());
  if (socket_[0] == '@') // Linux's abstract names
    to.sun_path[0] = '\0';
  auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  auto fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return;
  if (::sendto(fd, lines.data(), lines.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&to), size) < 0)
    log::warn("kevolved", "the service manager cannot be told: {}", std::strerror(errno));
  ::close(fd);
}

void notifier::ready(const std::string& text) const {
  send("READY=1\nSTATUS=" + printable(text) + "\n");
}
void notifier::reloading() const {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  auto usec = static_cast<uint64_t>(now.tv_sec) * 1'000'000 + static_cast<uint64_t>(now.tv_nsec) / 1'000;
  send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(usec) + "\n");
}
void notifier::stopping(std::chrono::seconds limit) const {
  send("STOPPING=1\nSTATUS=stopping\nEXTEND_TIMEOUT_USEC=" + std::to_string(limit.count() * 1'000'000) + "\n");
}
void notifier::alive() const {
  send("WATCHDOG=1\n");
}
void notifier::status(const std::string& text) const {
  send("STATUS=" + printable(text) + "\n");
}

} // namespace kevolve
