// The declaration of a task file, and the checks over what it yields. Used by task.cpp and the reference.
#pragma once

#include "config/settings.hpp"
#include "config/task.hpp"

#include <cstdint>
#include <string>

namespace kevolve {

// A task as read: what the contract cannot hold is beside it.
struct task_draft {
  task_spec spec;
  std::string reference_file;
  std::string oracle_file;
  bool roles_known = true; // of all arguments
};

// Stands in a shape for a size that was refused where it was read; any negative size was.
inline constexpr int64_t invalid_size = -1;

void declare_task(section& root, task_draft& draft);

// What single settings cannot tell: names that refer to others, expressions, sizes, roles.
void check_task(const task_draft& draft, error_list& errors);

} // namespace kevolve
