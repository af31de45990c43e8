// Builds that outlast their node: a compile that has run for long when its node goes away goes on, and whoever asks for
// the same one later joins it, or finds what came of it. In a folder of the node's: DIGEST.at-work, the socket of the
// server that is at it, and DIGEST.outcome, what came of it.
#pragma once

#include "backends/protocol.hpp"
#include "runtime/base/result.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

// Owns a descriptor; -1: none.
class open_file {
public:
  open_file() = default;
  explicit open_file(int fd) : fd_(fd) {}
  open_file(open_file&& other) noexcept;
  open_file& operator=(open_file&& other) noexcept;
  ~open_file();
  int fd() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

private:
  int fd_ = -1;
};

// The side of the server that is at a build. Whoever joins hears its end by the connection's.
class build_lead {
public:
  build_lead(open_file listener, open_file events) : listener_(std::move(listener)), events_(std::move(events)) {}
  // Readable when attend() has something to do.
  int descriptor() const { return events_.fd(); }
  // Takes in who joins. False: one of them wants the build ended.
  bool attend();

private:
  bool watch(int fd) const;
  open_file listener_;
  open_file events_; // epoll: the listener and the joined
  std::vector<open_file> joined_;
  friend class kept_builds;
};

class kept_builds {
public:
  kept_builds() = default; // keeps nothing
  // Makes the folder if it is not there, and removes outcomes that nobody asked for in a day.
  static result<kept_builds> open(const std::string& folder);

  bool keeps() const { return static_cast<bool>(folder_); }
  // Of everything but the job's id, and of the compilers.
  static std::string digest(const compile_request& request, const std::string& toolchain);

  // What came of it while nobody listened. It is given once.
  std::optional<compile_outcome> take(const std::string& digest) const;
  // Durable.
  result<void> put(const std::string& digest, const compile_outcome& outcome) const;

  // From now on this process is who is at it.
  result<build_lead> lead(const std::string& digest) const;
  void leave(const std::string& digest) const;
  // A connection to who is at it; none: nobody is.
  open_file join(const std::string& digest) const;
  // Asks who is at it to end it.
  static void end(const open_file& joined);

private:
  explicit kept_builds(open_file folder) : folder_(std::move(folder)) {}
  open_file folder_;
};

} // namespace kevolve
