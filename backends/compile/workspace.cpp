#include "backends/compile/workspace.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>

namespace kevolve {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "kevolve-compile.";
constexpr off_t room_bytes = 4 << 20;

class descriptor {
public:
  explicit descriptor(int fd) : fd_(fd) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (fd_ >= 0)
      ::close(fd_);
  }
  int get() const { return fd_; }

private:
  int fd_;
};

// A folder's name is prefix + pid + '.' + random. It may be removed if that process no longer exists.
void remove_abandoned(const std::string& parent) {
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator{parent, ec}) {
    auto name = entry.path().filename().string();
    if (!name.starts_with(prefix))
      continue;
    pid_t pid = 0;
    auto parsed = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), pid);
    if (parsed.ec == std::errc{} && pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH)
      fs::remove_all(entry.path(), ec);
  }
}

} // namespace

result<workspace> workspace::make(const std::string& parent) {
  remove_abandoned(parent);
  auto pattern = parent + "/" + std::string{prefix} + std::to_string(::getpid()) + ".XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr)
    return tl::unexpected(from_errno(errno, "cannot make a folder in " + parent));
  return workspace{pattern};
}

workspace::workspace(workspace&& other) noexcept : path_(std::exchange(other.path_, {})) {}

workspace::~workspace() {
  std::error_code ignored;
  if (!path_.empty())
    fs::remove_all(path_, ignored);
}

result<void> workspace::empty() const {
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator{path_, ec}) {
    fs::remove_all(entry.path(), ec);
    if (ec)
      return tl::unexpected(from_errno(ec.value(), entry.path().string()));
  }
  if (ec)
    return tl::unexpected(from_errno(ec.value(), path_));
  return {};
}

result<void> workspace::write(const std::string& name, std::string_view content) const {
  auto file = path_ + "/" + name;
  descriptor fd{::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
  if (fd.get() < 0)
    return tl::unexpected(from_errno(errno, file));
  while (!content.empty()) {
    auto n = ::write(fd.get(), content.data(), content.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return tl::unexpected(from_errno(errno, file));
    content.remove_prefix(static_cast<size_t>(n));
  }
  // Fixes __TIMESTAMP__, so that the same source always gives the same object.
  constexpr std::array<timespec, 2> epoch{};
  if (::futimens(fd.get(), epoch.data()) != 0)
    return tl::unexpected(from_errno(errno, file));
  return {};
}

result<std::string> workspace::read(const std::string& name, size_t most, bool cut) const {
  auto file = path_ + "/" + name;
  // A faulty compiler could have left a link or a pipe of that name.
  descriptor fd{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (fd.get() < 0)
    return tl::unexpected(from_errno(errno, file));
  struct stat st{};
  if (::fstat(fd.get(), &st) != 0 || !S_ISREG(st.st_mode))
    return fail(errc::bad_input, name + " is no plain file");
  auto size = static_cast<size_t>(st.st_size);
  if (size > most && !cut)
    return fail(errc::bad_input, name + " has " + std::to_string(size) + " bytes, at most " + std::to_string(most));
  std::string out(std::min(size, most), '\0');
  size_t have = 0;
  while (have < out.size()) {
    auto n = ::read(fd.get(), out.data() + have, out.size() - have);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return tl::unexpected(from_errno(errno, file));
    if (n == 0)
      break;
    have += static_cast<size_t>(n);
  }
  out.resize(have);
  return out;
}

bool workspace::full() const {
  auto file = path_ + "/room";
  descriptor fd{::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
  if (fd.get() < 0)
    return errno == ENOSPC || errno == EDQUOT;
  auto rc = ::posix_fallocate(fd.get(), 0, room_bytes);
  ::unlink(file.c_str());
  return rc == ENOSPC || rc == EDQUOT;
}

} // namespace kevolve
