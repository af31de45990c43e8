// Looks at the outputs of a reference in PyTorch without a GPU: it is called on tensors without memory, in the sandbox
// of references, and the shapes and types that it returns are compared with the task's.
#pragma once

#include "config/task.hpp"

#include <string>
#include <vector>

namespace kevolve {

struct traced_outputs {
  std::vector<diagnostic> wrong;   // outputs that the task declares otherwise, at the entry's line
  std::vector<std::string> traced; // names of the shapes whose outputs were compared
  std::string not_traced;          // why some were not: no PyTorch, a result that depends on values, …
};

// Returns nothing to compare, with the reason, where no Python with PyTorch is found.
traced_outputs trace_outputs(const task_spec& task);

// Says what is not checked of such a reference: its values, and what was not traced.
std::string unchecked_text(const traced_outputs& outputs);

// Returns the shapes of a task as the tracing process reads them: "entry", and for each shape its name and arguments.
// Shapes whose sizes depend on data are left out. Pure.
std::string outputs_question(const contract& task);
// Reads the process's answer. Pure.
traced_outputs read_outputs(const std::string& answer, const task_spec& task);

} // namespace kevolve
