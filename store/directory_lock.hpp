// Reserves a data directory for one process. The kernel releases the lock when the process ends, however it ends.
#pragma once

#include "runtime/base/result.hpp"

#include <string>

namespace kevolve {

class directory_lock {
public:
  // Locks the directory, and makes it if `create`. errc::conflict: "data directory X is in use by kevolve (pid 123,
  // since …)".
  static result<directory_lock> take(const std::string& directory, bool create);
  // Locks the directory for a reader, shared with other readers; nothing is made or written. A directory whose lock
  // file is missing or cannot be opened is not locked.
  static result<directory_lock> share(const std::string& directory);

  directory_lock(directory_lock&& other) noexcept;
  directory_lock& operator=(directory_lock&&) = delete;
  ~directory_lock();

private:
  explicit directory_lock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

// Checks that `bytes` more can be written in the directory: a file of that size is allocated, synced and removed.
result<void> probe_space(const std::string& directory, size_t bytes);

} // namespace kevolve
