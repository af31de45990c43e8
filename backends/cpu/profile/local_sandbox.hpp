// The sandbox of a process that runs passes itself: benchmarks and tests. A node's passes run in a helper with more.
#pragma once

#include "backends/profile/pass.hpp"

namespace kevolve {

class local_pass_sandbox : public pass_sandbox {
public:
  step_result run_tool(const locked_command& command, const std::vector<std::string>& readable) override;
  step_result run_candidate(const locked_command& command) override;
};

} // namespace kevolve
