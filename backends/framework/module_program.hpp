// A PyTorch module as a program of the framework's process: the user's file, and after it a function with the task's
// inputs as parameters. Weights are installed in the module before a call, as a user has them there. Pure.
#pragma once

#include <string>
#include <vector>

namespace kevolve {

// An argument of the task and the part of the module that it stands for, as the task file names it ("parameter
// fc.bias").
struct module_argument {
  std::string name;
  std::string origin; // empty: a size
};

struct module_call {
  std::string source; // of the user's file
  std::string entry;
  bool is_function = false;
  bool training = false;
  std::vector<module_argument> arguments; // in the order of the contract
};

// Returns the packed program (framework_source.hpp).
std::string module_program(const module_call& call);

} // namespace kevolve
