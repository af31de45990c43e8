// Device source to machine code with its plan, in the compile sandbox, with no device in sight. A candidate chooses a
// flag set by name; it never writes a flag.
#pragma once

#include "backends/cuda/compile/locked_tool.hpp"
#include "backends/cuda/compile/sass_step.hpp"
#include "backends/cuda/toolchain.hpp"

#include <string>
#include <vector>

namespace kevolve::cuda {

struct cuda_compiler_options : compiler_options {
  std::string architecture; // "sm_90a"
  std::string disassembler; // absolute; empty: nobody says what machine code is made of
};

class cuda_compiler {
public:
  static result<cuda_compiler> make(const cuda_compiler_options& options);

  // language "cuda". The artifact is a device package.
  compile_outcome run(const compile_request& request, attention& listener);
  const cuda_toolchain& tools() const { return tools_; }
  const std::string& sandbox_level() const { return tool_.level(); }
  // Of compiler, architecture and flag menu.
  std::string fingerprint() const;

private:
  cuda_compiler(cuda_toolchain tools, locked_tool tool, sass_step sass, std::string architecture)
      : tools_(std::move(tools)), tool_(std::move(tool)), sass_(std::move(sass)),
        architecture_(std::move(architecture)) {}
  void build(const compile_request& request, attention& listener, compile_outcome& out);
  std::vector<std::string> command(const std::string& flags) const;

  cuda_toolchain tools_;
  locked_tool tool_;
  sass_step sass_;
  std::string architecture_;
};

} // namespace kevolve::cuda
