// Candidates in Triton to machine code with its plan. Reading a module of Python is running it, which happens in the
// compile sandbox, with no device in sight, and nowhere else; of what comes out, only bytes are believed that are
// checked.
#pragma once

#include "backends/compile/locked_tool.hpp"
#include "backends/nvidia/compiler_options.hpp"
#include "backends/nvidia/sass_step.hpp"

#include "backends/launch_plan/package.hpp"
#include "backends/triton/triton_plan.hpp"

#include <string>
#include <vector>

namespace kevolve::cuda {

// Where things are; empty: there is no Triton.
struct triton_place {
  std::string python; // absolute
  std::string package;
};

class triton_compiler {
public:
  static result<triton_compiler> make(const nvidia_compiler_options& options, triton_place place);

  // language "triton". The artifact is a device package.
  compile_outcome run(const compile_request& request, attention& listener) const;
  bool available() const { return !place_.package.empty(); }

private:
  triton_compiler(locked_tool tool, sass_step sass, triton_place place, std::string architecture)
      : tool_(std::move(tool)), sass_(std::move(sass)), place_(std::move(place)),
        architecture_(std::move(architecture)) {}
  void build(const compile_request& request, attention& listener, compile_outcome& out) const;
  // Of what the step left, by kind of device.
  void take_cubins(const triton_plan& plan, const std::vector<triton_built>& built, const candidate_text& parts,
                   const contract& task, attention& listener, compile_outcome& out) const;
  void take_code_objects(const triton_plan& plan, const std::vector<triton_built>& built, const candidate_text& parts,
                         const contract& task, compile_outcome& out) const;

  locked_tool tool_;
  sass_step sass_;
  triton_place place_;
  std::string architecture_; // "90", "gfx942"
};

} // namespace kevolve::cuda
