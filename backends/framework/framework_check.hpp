// Checks a Python reference without running it: it must parse and define its entry. The framework and other modules
// need not be installed.
#pragma once

#include "backends/compile/locked_tool.hpp"

#include <string>

namespace kevolve::cuda {

// Returns the first python3 in PATH that is an executable, not a wrapper script; empty if there is none.
std::string find_python();

class framework_check {
public:
  // `python` is an absolute path; empty: find_python().
  static result<framework_check> make(const compiler_options& options, const std::string& python);

  // Checks language "pytorch", role reference or oracle. The artifact is a framework source.
  compile_outcome run(const compile_request& request, attention& listener) const;
  const std::string& python() const { return python_; }

private:
  framework_check(locked_tool tool, std::string python) : tool_(std::move(tool)), python_(std::move(python)) {}

  locked_tool tool_;
  std::string python_;
};

} // namespace kevolve::cuda
