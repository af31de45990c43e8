// The options of the compilers of NVIDIA's targets, in addition to the common ones.
#pragma once

#include "backends/compile/compile_engine.hpp"

#include <string>

namespace kevolve::cuda {

struct nvidia_compiler_options : compiler_options {
  std::string architecture; // for example "sm_90a"
  std::string disassembler; // absolute path; empty: machine code is not analysed
};

} // namespace kevolve::cuda
