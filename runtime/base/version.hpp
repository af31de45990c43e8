// The identity of this build. Its values stand in a file that the build generates (cmake/build_identity.cmake).
#pragma once

#include <string>

namespace kevolve {

struct build_identity {
  std::string version; // "0.1.0"
  std::string commit;  // abbreviated, "+changes" after it where the checkout had any; "unknown" outside a git checkout
  std::string type;    // "Release"
};

build_identity this_build();

// Returns "kevolve 0.1.0 (commit 1a2b3c4d5e6f, Release)".
inline std::string version_line(const std::string& program) {
  const auto b = this_build();
  return program + " " + b.version + " (commit " + b.commit + ", " + b.type + ")";
}

} // namespace kevolve
