// The CUDA toolkit of this machine, and the flags that a candidate may name.
#pragma once

#include "backends/target.hpp"

#include <string>
#include <vector>

namespace kevolve::cuda {

struct cuda_toolchain {
  std::string nvcc;    // absolute; empty: none found
  std::string root;    // the toolkit's folder
  std::string version; // "13.0.88"
};
// In PATH, then where the toolkit's own installer puts it.
cuda_toolchain find_cuda_toolchain();

// nvdisasm: the toolkit's, Triton's, or the system's; empty: there is none. An empty folder is none. (cuobjdump runs
// nvdisasm itself.)
std::string find_disassembler(const std::string& toolkit, const std::string& triton);

// Nsight Compute's command line: what KEVOLVE_NCU names, or the first in PATH, or the toolkit's; empty: none.
std::string find_ncu();

struct cuda_menu_entry {
  flag_set about;
  std::vector<std::string> words; // to nvcc
};
const std::vector<cuda_menu_entry>& cuda_menu();
std::vector<flag_set> cuda_flag_menu();

} // namespace kevolve::cuda
