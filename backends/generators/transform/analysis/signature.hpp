// The arguments of a function without a task: roles and extents, inferred from what its loops do.
#pragma once

#include "backends/generators/transform/ir/program.hpp"

#include <string>
#include <vector>

namespace kevolve::transform {

enum class parameter_use : uint8_t { input = 0, output, inout, size, scalar };

struct inferred_parameter {
  std::string name;
  parameter_use use = parameter_use::input;
  scalar_kind element = scalar_kind::none;
  std::vector<std::string> shape; // of arrays: expressions over sizes; empty: they cannot be inferred
  std::string why_no_shape;
};

// Infers each parameter. Pointers that are written are outputs, or inouts if they are read first; integers that bound a
// loop or stand in a subscript are sizes. The program is as read_function() gives it.
std::vector<inferred_parameter> infer_parameters(program p);

} // namespace kevolve::transform
