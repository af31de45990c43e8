#include "backends/compile/kept_builds.hpp"

#include "runtime/base/codec.hpp"
#include "runtime/base/ids.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <utility>

namespace kevolve {

namespace fs = std::filesystem;

namespace {

constexpr auto kept_for = std::chrono::hours{24};
constexpr size_t most_outcome = 128U << 20U;
constexpr char end_it = 'e';

std::string at_work(const std::string& digest) {
  return digest + ".at-work";
}
std::string outcome_of(const std::string& digest) {
  return digest + ".outcome";
}

// Uses the folder's descriptor, since a socket's path is limited to 108 bytes and a data directory's may be longer.
bool address_of(const open_file& folder, const std::string& name, sockaddr_un& out) {
  const auto path = "/proc/self/fd/" + std::to_string(folder.fd()) + "/" + name;
  out = {};
  out.sun_family = AF_UNIX;
  if (path.size() >= sizeof out.sun_path)
    return false;
  path.copy(out.sun_path, path.size());
  return true;
}

const sockaddr* plain(const sockaddr_un& a) {
  return reinterpret_cast<const sockaddr*>(&a);
}

open_file unix_socket(int flags) {
  return open_file{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0)};
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

} // namespace

open_file::open_file(open_file&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

open_file& open_file::operator=(open_file&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

open_file::~open_file() {
  if (fd_ >= 0)
    ::close(fd_);
}

bool build_lead::watch(int fd) const {
  epoll_event e{};
  e.events = EPOLLIN;
  e.data.fd = fd;
  return ::epoll_ctl(events_.fd(), EPOLL_CTL_ADD, fd, &e) == 0;
}

bool build_lead::attend() {
  std::array<epoll_event, 8> events{};
  const auto n = ::epoll_wait(events_.fd(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < n; ++i) {
    const auto fd = events[static_cast<size_t>(i)].data.fd;
    if (fd == listener_.fd()) {
      open_file one{::accept4(fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
      if (one && watch(one.fd()))
        joined_.push_back(std::move(one));
      continue;
    }
    char said = 0;
    const auto got = ::read(fd, &said, 1);
    if (got == 1 && said == end_it)
      return false;
    if (got == 0)
      std::erase_if(joined_, [fd](const open_file& f) { return f.fd() == fd; });
  }
  return true;
}

result<kept_builds> kept_builds::open(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return tl::unexpected(from_errno(errno, "cannot make " + folder));
  kept_builds out{open_file{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)}};
  if (!out.keeps())
    return tl::unexpected(from_errno(errno, "cannot open " + folder));
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator{folder, ec}) {
    const auto age = fs::file_time_type::clock::now() - entry.last_write_time(ec);
    if (!ec && entry.is_regular_file(ec) && age > kept_for)
      fs::remove(entry.path(), ec);
  }
  return out;
}

std::string kept_builds::digest(const compile_request& request, const std::string& toolchain) {
  auto anonymous = request;
  anonymous.job = {};
  return sha256_hex(toolchain + "\n" + encode(anonymous));
}

std::optional<compile_outcome> kept_builds::take(const std::string& digest) const {
  if (!keeps())
    return std::nullopt;
  const auto name = outcome_of(digest);
  const open_file file{::openat(folder_.fd(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  struct stat about{};
  if (!file || ::fstat(file.fd(), &about) != 0 || about.st_size < 0
      || static_cast<size_t>(about.st_size) > most_outcome)
    return std::nullopt;
  std::string bytes(static_cast<size_t>(about.st_size), '\0');
  size_t have = 0;
  while (have < bytes.size()) {
    const auto n = ::read(file.fd(), bytes.data() + have, bytes.size() - have);
    if (n <= 0)
      return std::nullopt;
    have += static_cast<size_t>(n);
  }
  ::unlinkat(folder_.fd(), name.c_str(), 0);
  auto out = decode<compile_outcome>(bytes);
  if (!out)
    return std::nullopt;
  return std::move(*out);
}

result<void> kept_builds::put(const std::string& digest, const compile_outcome& outcome) const {
  const auto name = outcome_of(digest);
  const auto half = name + ".part";
  {
    const open_file file{
        ::openat(folder_.fd(), half.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600)};
    if (!file || !write_all(file.fd(), encode(outcome)) || ::fsync(file.fd()) != 0)
      return tl::unexpected(from_errno(errno, "cannot keep a build's outcome"));
  }
  if (::renameat(folder_.fd(), half.c_str(), folder_.fd(), name.c_str()) != 0 || ::fsync(folder_.fd()) != 0)
    return tl::unexpected(from_errno(errno, "cannot keep a build's outcome"));
  return {};
}

result<build_lead> kept_builds::lead(const std::string& digest) const {
  const auto name = at_work(digest);
  ::unlinkat(folder_.fd(), name.c_str(), 0); // left by a server that died during the build
  sockaddr_un address{};
  auto listener = unix_socket(SOCK_NONBLOCK);
  if (!listener || !address_of(folder_, name, address) || ::bind(listener.fd(), plain(address), sizeof address) != 0
      || ::listen(listener.fd(), 4) != 0)
    return tl::unexpected(from_errno(errno, "cannot listen for who joins a build"));
  build_lead out{std::move(listener), open_file{::epoll_create1(EPOLL_CLOEXEC)}};
  if (out.descriptor() < 0 || !out.watch(out.listener_.fd()))
    return tl::unexpected(from_errno(errno, "epoll"));
  return out;
}

void kept_builds::leave(const std::string& digest) const {
  ::unlinkat(folder_.fd(), at_work(digest).c_str(), 0);
}

open_file kept_builds::join(const std::string& digest) const {
  sockaddr_un address{};
  if (!keeps() || !address_of(folder_, at_work(digest), address))
    return {};
  auto out = unix_socket(0);
  if (!out || ::connect(out.fd(), plain(address), sizeof address) != 0)
    return {};
  return out;
}

void kept_builds::end(const open_file& joined) {
  while (::send(joined.fd(), &end_it, 1, MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

} // namespace kevolve
