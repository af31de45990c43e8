#include "tools/kevolve/new_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace kevolve {

result<void> write_new_file(const std::string& path, const std::string& text) {
  const auto fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0)
    return tl::unexpected(from_errno(errno, "writing " + path));
  size_t done = 0;
  auto wrong = 0;
  while (done < text.size() && wrong == 0) {
    const auto n = ::write(fd, text.data() + done, text.size() - done);
    if (n >= 0)
      done += static_cast<size_t>(n);
    else if (errno != EINTR)
      wrong = errno;
  }
  if (wrong == 0 && ::fsync(fd) != 0)
    wrong = errno;
  ::close(fd);
  return wrong == 0 ? result<void>{} : tl::unexpected(from_errno(wrong, "writing " + path));
}

} // namespace kevolve
