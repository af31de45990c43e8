// Builds that outlast their node. If the node goes away during a long compile, the compile continues. A later request
// for the same build joins it or finds its outcome. The node's folder holds DIGEST.at-work, the socket of the server
// that builds, and DIGEST.outcome, the result.
#pragma once

#include "backends/protocol.hpp"
#include "runtime/base/result.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

// Owns a descriptor; -1 if there is none.
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

// The side of the server that runs a build. Other servers join by a connection, which closes when the build ends.
class build_lead {
public:
  build_lead(open_file listener, open_file events) : listener_(std::move(listener)), events_(std::move(events)) {}
  // Returns a descriptor that is readable when attend() has work.
  int descriptor() const { return events_.fd(); }
  // Accepts joining servers. Returns false if one of them cancels the build.
  bool attend();

private:
  bool watch(int fd) const;
  open_file listener_;
  open_file events_; // epoll instance with the listener and the joined connections
  std::vector<open_file> joined_;
  friend class kept_builds;
};

class kept_builds {
public:
  kept_builds() = default; // keeps no builds
  // Opens or makes the folder and removes outcomes that nobody fetched for a day.
  static result<kept_builds> open(const std::string& folder);

  bool keeps() const { return static_cast<bool>(folder_); }
  // Returns a hash of the tool chain and of the request without its job id.
  static std::string digest(const compile_request& request, const std::string& toolchain);

  // Returns the stored outcome, if any, and removes it.
  std::optional<compile_outcome> take(const std::string& digest) const;
  // Stores an outcome durably.
  result<void> put(const std::string& digest, const compile_outcome& outcome) const;

  // Makes this process the leader of the build.
  result<build_lead> lead(const std::string& digest) const;
  void leave(const std::string& digest) const;
  // Connects to the leader of the build; returns an empty descriptor if there is none.
  open_file join(const std::string& digest) const;
  // Asks the leader to end the build.
  static void end(const open_file& joined);

private:
  explicit kept_builds(open_file folder) : folder_(std::move(folder)) {}
  open_file folder_;
};

} // namespace kevolve
