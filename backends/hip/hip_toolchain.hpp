// Debian's HIP: its clang, linker, headers and device libraries, as its package `hipcc` brings them.
#pragma once

#include <string>
#include <vector>

namespace kevolve::hip {

// What that clang knows of AMD's data-centre GPUs.
inline constexpr const char* hip_architecture = "gfx90a";

struct hip_toolchain {
  std::string clang;     // absolute; empty: a part is missing
  std::string libraries; // the device libraries' folder
  std::string version;   // "15"
  std::string missing;   // the first part that is
};
hip_toolchain find_hip_toolchain();

// Device source to a listing, and that to a code object. Files in the working folder: candidate.hip, candidate.s,
// candidate.hsaco.
std::vector<std::string> listing_command(const hip_toolchain& tools);
std::vector<std::string> object_command(const hip_toolchain& tools);

} // namespace kevolve::hip
