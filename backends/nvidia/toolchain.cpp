#include "backends/nvidia/toolchain.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kevolve::cuda {

namespace {

namespace fs = std::filesystem;

// Returns the parent of nvcc's folder, following links; empty if there is no such file.
std::string root_of(const std::string& nvcc) {
  std::error_code ec;
  const auto real = fs::canonical(nvcc, ec);
  return ec ? "" : real.parent_path().parent_path().string();
}

bool is_toolkit(const std::string& root) {
  return !root.empty() && fs::exists(root + "/nvvm") && fs::exists(root + "/bin/ptxas");
}

// Returns the possible paths of a program, in the order of PATH.
std::vector<std::string> in_path(const std::string& program) {
  std::vector<std::string> out;
  const auto* path = std::getenv("PATH");
  std::istringstream folders{path == nullptr ? "" : path};
  for (std::string folder; std::getline(folders, folder, ':');)
    out.push_back(folder + "/" + program);
  return out;
}

// Returns a version such as "13.0" from the toolkit's header. The program is not run, since that needs a sandbox.
std::string version_of(const std::string& root) {
  std::ifstream header{root + "/include/cuda.h"};
  for (std::string line; std::getline(header, line);)
    if (line.starts_with("#define CUDA_VERSION ")) {
      const auto n = std::atoi(line.c_str() + 21);
      return std::to_string(n / 1000) + "." + std::to_string(n % 1000 / 10);
    }
  return "unknown";
}

} // namespace

const std::vector<cuda_menu_entry>& cuda_menu() {
  static const std::vector<cuda_menu_entry> entries{
      {{"O3", "as nvcc optimises by default", true}, {}},
      {{"fast-math", "flush denormals, approximate division, square root and functions", false, 0, true},
       {"--use_fast_math"}},
      {{"no-fma", "multiplications and additions keep their own rounding", false}, {"--fmad=false"}},
      {{"few-registers", "at most 64 registers a thread, for occupancy", false}, {"--maxrregcount=64"}},
  };
  return entries;
}

std::vector<flag_set> cuda_flag_menu() {
  std::vector<flag_set> out;
  for (const auto& e : cuda_menu())
    out.push_back(e.about);
  return out;
}

cuda_toolchain find_cuda_toolchain() {
  auto places = in_path("nvcc");
  places.emplace_back("/usr/local/cuda/bin/nvcc");
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator{"/usr/local", ec})
    if (entry.path().filename().string().starts_with("cuda-"))
      places.push_back(entry.path().string() + "/bin/nvcc");
  for (const auto& nvcc : places)
    if (const auto root = root_of(nvcc); is_toolkit(root))
      return {root + "/bin/nvcc", root, version_of(root)};
  return {};
}

std::string find_disassembler(const std::string& toolkit, const std::string& triton) {
  std::vector<std::string> folders;
  if (!toolkit.empty())
    folders.push_back(toolkit + "/bin");
  if (!triton.empty())
    folders.push_back(triton + "/backends/nvidia/bin");
  folders.insert(folders.end(), {"/usr/local/cuda/bin", "/usr/bin"});
  std::error_code ec;
  for (const auto& folder : folders)
    if (const auto path = folder + "/nvdisasm"; ::access(path.c_str(), X_OK) == 0)
      if (const auto real = fs::canonical(path, ec); !ec)
        return real.string();
  return {};
}

std::string find_ncu() {
  if (const auto* named = std::getenv("KEVOLVE_NCU"); named != nullptr)
    return named;
  auto places = in_path("ncu");
  places.emplace_back("/usr/local/cuda/bin/ncu");
  for (const auto& ncu : places)
    if (ncu.starts_with('/') && ::access(ncu.c_str(), X_OK) == 0)
      return ncu;
  return {};
}

std::string counters_forbidden() {
  std::ifstream parameters{"/proc/driver/nvidia/params"};
  for (std::string line; std::getline(parameters, line);)
    if (line == "RmProfilingAdminOnly: 1" && ::geteuid() != 0)
      return "the driver lets only administrators read hardware counters";
  return {};
}

std::string find_sanitizer(const std::string& toolkit) {
  if (const auto* named = std::getenv("KEVOLVE_COMPUTE_SANITIZER"); named != nullptr)
    return named;
  auto places = in_path("compute-sanitizer");
  auto roots = std::vector<std::string>{toolkit};
  for (const auto* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto* value = std::getenv(name); value != nullptr)
      roots.emplace_back(value);
  roots.emplace_back("/usr/local/cuda");
  for (const auto& root : roots)
    for (const auto* below : {"/compute-sanitizer/compute-sanitizer", "/bin/compute-sanitizer"})
      places.push_back(root + below);
  for (const auto& program : places)
    if (program.starts_with('/') && ::access(program.c_str(), X_OK) == 0)
      return program;
  return {};
}

} // namespace kevolve::cuda
