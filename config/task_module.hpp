// The PyTorch source that a task's reference was made from, and the part of it that each argument stands for.
#pragma once

#include "config/document.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace kevolve {

enum class origin_kind : uint8_t { input = 0, parameter, buffer, constant, output };

// The place of an argument in the module: "input 0", "parameter linear.weight", "buffer norm.running_mean",
// "constant 0", "constant 1 mask", "output 0".
struct argument_origin {
  origin_kind kind = origin_kind::input;
  int64_t index = 0; // of input, constant and output
  std::string name;  // of parameter and buffer, as state_dict() has it; of a constant: the attribute that holds it
};

bool operator==(const argument_origin& a, const argument_origin& b);
std::string to_string(const argument_origin& x);
// Returns the origin that the text names, or nothing.
std::optional<argument_origin> parse_origin(const std::string& text);

// The table [module] of a task with the origins of its arguments.
struct task_module {
  std::string file;                               // a name beside the task file
  std::string entry;                              // a class with forward(), or a function
  std::string kind = "module";                    // or "function"
  bool training = false;                          // the module is called in training mode
  std::string weights;                            // a file of tensors beside the task file; empty: all are drawn
  std::map<std::string, argument_origin> origins; // by the argument's name; sizes have none
};

// Reads the module of a task from the task file's text; nothing if the task has none. The text has passed load_task().
std::optional<task_module> module_origins(const std::string& task_text);

} // namespace kevolve
