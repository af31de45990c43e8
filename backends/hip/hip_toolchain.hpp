// Debian's HIP: clang, linker, headers and device libraries from the package `hipcc`.
#pragma once

#include <string>
#include <vector>

namespace kevolve::hip {

// The data-centre GPU of AMD that this clang supports.
inline constexpr const char* hip_architecture = "gfx90a";

struct hip_toolchain {
  std::string clang;     // absolute path; empty: a part is missing
  std::string libraries; // the device libraries' folder
  std::string version;   // for example "15"
  std::string missing;   // the first missing part
};
hip_toolchain find_hip_toolchain();

// Return the commands that compile device source to a listing, and a listing to a code object. They use the files
// candidate.hip, candidate.s and candidate.hsaco in the working folder.
std::vector<std::string> listing_command(const hip_toolchain& tools);
std::vector<std::string> object_command(const hip_toolchain& tools);

} // namespace kevolve::hip
