#include "store/directory_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <utility>

namespace kevolve {

namespace {

failure last_error(std::string what) {
  return from_errno(errno, std::move(what));
}

std::string now_utc() {
  auto now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

// Makes the directory and its parents. An entry is durable only once its parent is synced.
result<void> make_directory(const std::filesystem::path& directory) {
  std::error_code ec;
  if (std::filesystem::is_directory(directory, ec))
    return {};
  auto parent = std::filesystem::absolute(directory).lexically_normal().parent_path();
  if (parent != directory) {
    if (auto made = make_directory(parent); !made)
      return made;
  }
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return tl::unexpected(last_error("cannot make data directory " + directory.string()));
  if (auto fd = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); fd >= 0) {
    ::fsync(fd);
    ::close(fd);
  }
  return {};
}

std::string read_holder(int fd) {
  std::array<char, 128> text{};
  auto n = ::pread(fd, text.data(), text.size(), 0);
  if (n <= 0)
    return "pid unknown";
  std::string_view line{text.data(), static_cast<size_t>(n)};
  return std::string{line.substr(0, line.find('\n'))};
}

failure refusal(const std::string& directory, int fd) {
  if (errno == EWOULDBLOCK)
    return {errc::conflict, "data directory " + directory + " is in use by kevolve (" + read_holder(fd)
                                + "); stop it or use another directory"};
  return last_error("cannot lock " + directory + "/kevolve.lock");
}

} // namespace

result<directory_lock> directory_lock::take(const std::string& directory, bool create) {
  if (create) {
    if (auto made = make_directory(std::filesystem::absolute(directory).lexically_normal()); !made)
      return tl::unexpected(made.error());
  }
  auto path = directory + "/kevolve.lock";
  auto fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0)
    return tl::unexpected(last_error("cannot open " + path));
  directory_lock lock{fd};
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const auto refused = refusal(directory, fd);
    if (::flock(fd, LOCK_SH | LOCK_NB) != 0)
      return tl::unexpected(refused);
    // The file names the last writer, not the readers.
    return fail(errc::conflict, "data directory " + directory + " is being read by another kevolve, such as fsck; wait "
                                    + "until that has ended");
  }
  auto holder = "pid " + std::to_string(::getpid()) + ", since " + now_utc() + "\n";
  // The text only serves the error message: on a full disk the lock works without it.
  if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, holder.data(), holder.size(), 0) < 0) {
  }
  return lock;
}

result<directory_lock> directory_lock::share(const std::string& directory) {
  directory_lock lock{::open((directory + "/kevolve.lock").c_str(), O_RDONLY | O_CLOEXEC)};
  if (lock.fd_ >= 0 && ::flock(lock.fd_, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return tl::unexpected(refusal(directory, lock.fd_));
  return lock;
}

directory_lock::directory_lock(directory_lock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

directory_lock::~directory_lock() {
  if (fd_ >= 0)
    ::close(fd_);
}

result<void> probe_space(const std::string& directory, size_t bytes) {
  auto path = directory + "/space.probe";
  auto fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0)
    return tl::unexpected(last_error("cannot write in " + directory));
  auto error = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes));
  if (error == 0 && ::fsync(fd) != 0)
    error = errno;
  ::close(fd);
  ::unlink(path.c_str());
  if (error != 0)
    return tl::unexpected(from_errno(error, "cannot write " + std::to_string(bytes) + " bytes in " + directory));
  return {};
}

} // namespace kevolve
