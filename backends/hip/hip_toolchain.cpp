#include "backends/hip/hip_toolchain.hpp"

#include <filesystem>

namespace kevolve::hip {

namespace {

// Debian 12's; hipcc itself is a script in Perl around this clang.
constexpr const char* version = "15";

std::vector<std::string> with_environment(const std::string& program) {
  return {"/usr/bin/env", "TMPDIR=.", "PATH=/usr/bin:/bin", program};
}

} // namespace

hip_toolchain find_hip_toolchain() {
  const auto folder = std::string{"/usr/lib/llvm-"} + version + "/bin";
  hip_toolchain out{folder + "/clang++", "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode", version, {}};
  for (const auto& part : {out.clang, folder + "/ld.lld", out.libraries, std::string{"/usr/include/hip/hip_runtime.h"}})
    if (out.missing.empty() && !std::filesystem::exists(part))
      out.missing = part;
  if (!out.missing.empty())
    out.clang.clear();
  return out;
}

std::vector<std::string> listing_command(const hip_toolchain& tools) {
  auto out = with_environment(tools.clang);
  out.insert(out.end(),
             {"-std=c++17", "-x", "hip", "--cuda-device-only", std::string{"--offload-arch="} + hip_architecture,
              "--rocm-path=/usr", "--hip-device-lib-path=" + tools.libraries, "-O3", "-S", "-o", "candidate.s",
              "candidate.hip"});
  return out;
}

std::vector<std::string> object_command(const hip_toolchain& tools) {
  auto out = with_environment(tools.clang);
  out.insert(out.end(), {"--target=amdgcn-amd-amdhsa", std::string{"-mcpu="} + hip_architecture, "-nogpulib", "-o",
                         "candidate.hsaco", "candidate.s"});
  return out;
}

} // namespace kevolve::hip
