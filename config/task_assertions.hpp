// The checks of [[assert]] in a task file: what it is about, and whether the task's own fill rules contradict it.
#pragma once

#include "config/task_sections.hpp"
#include "config/task_symbols.hpp"

namespace kevolve {

// Call it when the symbols are resolved.
void check_assertions(const task_draft& draft, task_symbols& symbols, error_list& errors);

} // namespace kevolve
