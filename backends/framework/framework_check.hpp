// A reference in Python, as far as it can be judged without running it: it parses and defines its entry. Neither the
// framework nor any other module is there.
#pragma once

#include "backends/compile/locked_tool.hpp"

#include <string>

namespace kevolve::cuda {

// The first Python in PATH that is a program, not a script in its place; empty: none.
std::string find_python();

class framework_check {
public:
  // `python`: absolute; empty: find_python().
  static result<framework_check> make(const compiler_options& options, const std::string& python);

  // language "pytorch", role reference or oracle. The artifact is a framework source.
  compile_outcome run(const compile_request& request, attention& listener) const;
  const std::string& python() const { return python_; }

private:
  framework_check(locked_tool tool, std::string python) : tool_(std::move(tool)), python_(std::move(python)) {}

  locked_tool tool_;
  std::string python_;
};

} // namespace kevolve::cuda
