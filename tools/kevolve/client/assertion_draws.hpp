// Checks a task's assertions of kind range and sorted on draws of its inputs, as the judge does at admission. Runs no
// code of the task.
#pragma once

#include "config/task.hpp"

#include <vector>

namespace kevolve {

// Returns an error at each assertion that a draw contradicts: of the declared shapes, their edge cases, and the cheap
// draws that the judge plans. Loops asserted independent are not checked: that takes a run of the reference.
std::vector<diagnostic> contradicting_draws(const task_spec& task);

} // namespace kevolve
