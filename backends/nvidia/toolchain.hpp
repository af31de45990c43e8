// The CUDA toolkit of this machine, and the flags that a candidate may name.
#pragma once

#include "backends/target.hpp"

#include <string>
#include <vector>

namespace kevolve::cuda {

struct cuda_toolchain {
  std::string nvcc;    // absolute path; empty: not found
  std::string root;    // the toolkit's folder
  std::string version; // for example "13.0"
};
// Looks in PATH, then in the folder of the toolkit's own installer.
cuda_toolchain find_cuda_toolchain();

// Returns the path of nvdisasm from the toolkit, Triton or the system; empty if there is none. `toolkit` and `triton`
// may be empty. (cuobjdump runs nvdisasm itself.)
std::string find_disassembler(const std::string& toolkit, const std::string& triton);

// Returns the path of Nsight Compute's command line: KEVOLVE_NCU, else the first in PATH, else the toolkit's. Empty if
// there is none.
std::string find_ncu();

// Returns why the driver does not let this user read hardware counters; empty if it does, or says nothing.
std::string counters_forbidden();
inline constexpr const char* counters_remedy =
    "run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0 "
    "(developer.nvidia.com/ERR_NVGPUCTRPERM)";

// Returns the path of compute-sanitizer: KEVOLVE_COMPUTE_SANITIZER, else the first in PATH, else the toolkit's.
// `toolkit` may be empty. Empty if there is none.
std::string find_sanitizer(const std::string& toolkit);

struct cuda_menu_entry {
  flag_set about;
  std::vector<std::string> words; // options of nvcc
};
const std::vector<cuda_menu_entry>& cuda_menu();
std::vector<flag_set> cuda_flag_menu();

} // namespace kevolve::cuda
