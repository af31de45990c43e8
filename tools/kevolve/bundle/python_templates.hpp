// The files below bundle/python, embedded by the build: the parts of a bundle's Python package that do not depend on
// the task.
#pragma once

#include <span>
#include <string_view>

namespace kevolve {

struct embedded_file {
  std::string_view name; // "package/operator.py"
  std::string_view text;
};

std::span<const embedded_file> python_templates();

} // namespace kevolve
