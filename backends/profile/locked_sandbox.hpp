// The sandbox of passes: that of the compilers, with the work folder alone writable.
#pragma once

#include "backends/profile/pass.hpp"

namespace kevolve {

class locked_pass_sandbox : public pass_sandbox {
public:
  // `listener` may give a step up before its deadline; null: nobody does. It must outlive this object.
  explicit locked_pass_sandbox(attention* listener = nullptr) : listener_(listener) {}

  step_result run_tool(const locked_command& command, const std::vector<std::string>& readable) override;
  step_result run_candidate(const locked_command& command) override { return run_tool(command, {}); }
  // Returns the layers that would confine a command.
  static result<std::string> level();

private:
  attention* listener_;
};

} // namespace kevolve
