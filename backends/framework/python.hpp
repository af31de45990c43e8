// The Python for references: the one that KEVOLVE_PYTHON names, else the first python3 in PATH. It is examined in a
// child process.
#pragma once

#include "backends/target.hpp"

#include <string>
#include <string_view>

namespace kevolve::cuda {

struct framework_python {
  std::string path;        // path of the interpreter; empty if none works
  std::string version;     // for example "3.11.7"
  std::string torch;       // for example "2.5.1+cu124"; empty if it is not installed
  std::string torch_cuda;  // the CUDA version that PyTorch was built with, "12.4"; empty for a CPU-only build
  std::string triton;      // for example "3.6.0"; empty if it is not installed
  std::string triton_path; // the package's folder
  std::string why;         // reason for an empty path
};

framework_python find_framework_python();

// The version of Triton that candidates were tested with. It comes with PyTorch.
inline constexpr std::string_view tried_triton = "3.6";
// Returns the row of `kevolve doctor` about that Python's Triton.
doctor_row examine_triton(const framework_python& python);

} // namespace kevolve::cuda
