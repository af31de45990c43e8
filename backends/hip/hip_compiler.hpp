// Compiles candidates in HIP C++ to code objects, in the compile sandbox. Nothing is launched; the log holds the
// figures of the code objects.
#pragma once

#include "backends/compile/locked_tool.hpp"
#include "backends/hip/hip_toolchain.hpp"

namespace kevolve::hip {

class hip_compiler {
public:
  static result<hip_compiler> make(const compiler_options& options);

  // Compiles language "hip". The text has the same form as for CUDA, with the plan as its first comment.
  compile_outcome run(const compile_request& request, attention& listener) const;

private:
  hip_compiler(hip_toolchain tools, cuda::locked_tool tool) : tools_(std::move(tools)), tool_(std::move(tool)) {}
  void build(const compile_request& request, attention& listener, compile_outcome& out) const;

  hip_toolchain tools_;
  cuda::locked_tool tool_;
};

} // namespace kevolve::hip
