// Compiles candidates in Triton to machine code with its plan. Reading a Python module means running it, so this
// happens only in the compile sandbox, without a device. The output is untrusted bytes and is checked.
#pragma once

#include "backends/compile/locked_tool.hpp"
#include "backends/nvidia/compiler_options.hpp"
#include "backends/nvidia/sass_step.hpp"

#include "backends/launch_plan/package.hpp"
#include "backends/triton/triton_plan.hpp"

#include <string>
#include <vector>

namespace kevolve::cuda {

// The location of Triton; `package` is empty if it is not installed.
struct triton_place {
  std::string python; // absolute path
  std::string package;
};

class triton_compiler {
public:
  static result<triton_compiler> make(const nvidia_compiler_options& options, triton_place place);

  // Compiles language "triton". The artifact is a device package.
  compile_outcome run(const compile_request& request, attention& listener) const;
  bool available() const { return !place_.package.empty(); }

private:
  triton_compiler(locked_tool tool, sass_step sass, triton_place place, std::string architecture)
      : tool_(std::move(tool)), sass_(std::move(sass)), place_(std::move(place)),
        architecture_(std::move(architecture)) {}
  void build(const compile_request& request, attention& listener, compile_outcome& out) const;
  // These read the files of the compile step, one function per kind of device.
  void take_cubins(const triton_plan& plan, const std::vector<triton_built>& built, const candidate_text& parts,
                   const contract& task, attention& listener, compile_outcome& out) const;
  void take_code_objects(const triton_plan& plan, const std::vector<triton_built>& built, const candidate_text& parts,
                         const contract& task, compile_outcome& out) const;

  locked_tool tool_;
  sass_step sass_;
  triton_place place_;
  std::string architecture_; // for example "90" or "gfx942"
};

} // namespace kevolve::cuda
