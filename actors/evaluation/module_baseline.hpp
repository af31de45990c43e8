// The PyTorch module that a task's native reference was made from, as the judge times candidates beside it. Pure.
#pragma once

#include "config/task.hpp"

#include <string>

namespace kevolve {

// Returns the packed program of the module; empty if the task has none, or its reference is PyTorch itself.
std::string module_beside(const task_spec& task);

} // namespace kevolve
