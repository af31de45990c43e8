// The options that the compilers of NVIDIA's targets add to those of every compiler.
#pragma once

#include "backends/compile/compile_engine.hpp"

#include <string>

namespace kevolve::cuda {

struct nvidia_compiler_options : compiler_options {
  std::string architecture; // "sm_90a"
  std::string disassembler; // absolute; empty: nobody says what machine code is made of
};

} // namespace kevolve::cuda
