// A small file system that tests can fill.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace kevolve::test {

// Mounts a tmpfs at a path that does not exist yet.
struct small_disk {
  explicit small_disk(const std::string& where, int mebibytes = 6) : path(where) {
    if (::mkdir(path.c_str(), 0700) != 0)
      why = std::string{"mkdir: "} + std::strerror(errno);
    else if (::mount("tmpfs", path.c_str(), "tmpfs", 0, ("size=" + std::to_string(mebibytes) + "m").c_str()) != 0)
      why = std::string{"mounting a tmpfs: "} + std::strerror(errno);
  }
  ~small_disk() {
    if (why.empty())
      ::umount2(path.c_str(), MNT_DETACH);
  }
  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;
  std::string path;
  std::string why; // reason for not having one
};

// Fills all remaining space.
inline void fill(const std::string& file) {
  auto fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(fd >= 0);
  std::string block(1U << 20U, 'x');
  size_t size = block.size();
  while (size > 0) {
    auto n = ::write(fd, block.data(), size);
    if (n <= 0)
      size /= 2;
  }
  ::close(fd);
}

} // namespace kevolve::test
