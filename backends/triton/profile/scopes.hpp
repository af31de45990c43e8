// The texts that the pass gpu.proton exchanges with triton_scopes.py. Pure but for proton_there(), which looks at
// files.
#pragma once

#include "backends/framework/python.hpp"
#include "backends/nvidia/runner/replay_wire.hpp"
#include "backends/profile/pass.hpp"
#include "backends/triton/triton_plan.hpp"

#include <string>
#include <vector>

namespace kevolve {

// Returns why this Python cannot instrument kernels: no Triton, one without Proton, or no PyTorch for CUDA.
availability proton_there(const cuda::framework_python& python);

// A buffer of the call: the file in the pass's folder that holds its content, empty for one that starts as zeros.
struct scoped_buffer {
  std::string name;
  uint64_t bytes = 0;
  std::string file;
};
std::vector<scoped_buffer> buffers_of(const cuda_wire::replay_call& call);

// Returns the order as JSON. errc::unsupported: a launch is of no kernel of the plan, or passes something that Python
// cannot.
result<std::string> scopes_order(const triton_plan& plan, const cuda_wire::replay_call& call);

// Returns the artefact `loops`: the share of its kernel's cycles that each outermost loop takes. `kernels` are the
// plan's names. errc::protocol: the text is not an answer of triton_scopes.py; a candidate may have written it.
result<std::string> loops_of_scopes(const std::string& text, const std::vector<std::string>& kernels);

} // namespace kevolve
