// The Python that references run in: the first python3 of PATH, asked in a child of its own.
#pragma once

#include "backends/target.hpp"

#include <string>
#include <string_view>

namespace kevolve::cuda {

struct framework_python {
  std::string path;        // of the interpreter; empty: none answers
  std::string version;     // "3.11.7"
  std::string torch;       // "2.5.1+cu124"; empty: it has none
  std::string torch_cuda;  // what that was built with: "12.4"; empty: for processors alone
  std::string triton;      // "3.6.0"; empty: it has none
  std::string triton_path; // the package's folder
  std::string why;         // no path: what went wrong
};

framework_python find_framework_python();

// The version of Triton that candidates were tried with. It goes with the PyTorch that brings it.
inline constexpr std::string_view tried_triton = "3.6";
// The row of `kevolve doctor` about that Python's Triton.
doctor_row examine_triton(const framework_python& python);

} // namespace kevolve::cuda
