// The declaration of a task file, and the checks of its values. Used by task.cpp and the reference.
#pragma once

#include "config/settings.hpp"
#include "config/task.hpp"
#include "config/task_module.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

// A task as read, with values that the contract cannot hold.
struct task_draft {
  task_spec spec;
  std::string reference_file;
  std::string oracle_file;
  std::string sizes = "any";
  bool roles_known = true;          // all arguments have a valid role
  std::vector<std::string> origins; // by the argument's index; empty if it has none
  bool has_module = false;
  task_module module_table; // without the origins
};

// Replaces a size that was rejected when it was read, as every negative size is.
inline constexpr int64_t invalid_size = -1;

void declare_task(section& root, task_draft& draft);
// Declares an [[argument]]. `origin` becomes the tensor of a module that it is, if it is one. Returns true if the
// argument has a role.
bool declare_argument(section& s, argument& a, std::string& origin);

// Checks relations between settings: names that refer to others, expressions, sizes, roles.
void check_task(const task_draft& draft, error_list& errors);
// Checks [module] and the arguments' origins.
void check_module(const task_draft& draft, error_list& errors);

} // namespace kevolve
