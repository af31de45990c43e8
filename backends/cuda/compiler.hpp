// Compiles device source to machine code with its plan, in the compile sandbox, without a device. A candidate chooses a
// flag set by name; it never writes a flag.
#pragma once

#include "backends/compile/locked_tool.hpp"
#include "backends/nvidia/compiler_options.hpp"
#include "backends/nvidia/sass_step.hpp"
#include "backends/nvidia/toolchain.hpp"

#include <string>
#include <vector>

namespace kevolve::cuda {

class cuda_compiler {
public:
  static result<cuda_compiler> make(const nvidia_compiler_options& options);

  // Compiles the source as CUDA C++. The artifact is a device package; in the role `sanitised` of the same machine
  // code, with line information for the tools of the replay.
  compile_outcome run(const compile_request& request, attention& listener);
  const cuda_toolchain& tools() const { return tools_; }
  const std::string& sandbox_level() const { return tool_.level(); }
  // Returns the hash of the compiler, the architecture and the flag menu.
  std::string fingerprint() const;

private:
  cuda_compiler(cuda_toolchain tools, locked_tool tool, sass_step sass, std::string architecture)
      : tools_(std::move(tools)), tool_(std::move(tool)), sass_(std::move(sass)),
        architecture_(std::move(architecture)) {}
  void build(const compile_request& request, attention& listener, compile_outcome& out);
  std::vector<std::string> command(const compile_request& request) const;

  cuda_toolchain tools_;
  locked_tool tool_;
  sass_step sass_;
  std::string architecture_;
};

} // namespace kevolve::cuda
