#include "runtime/base/redirect.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace kevolve {

bool redirect(const char* path, int flags, int to) {
  const auto fd = ::open(path, flags | O_CLOEXEC, 0600);
  return fd >= 0 && ::dup2(fd, to) == to;
}

} // namespace kevolve
