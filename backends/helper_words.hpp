// Common functions for the environment and the hashes of the targets' helpers.
#pragma once

#include "backends/target.hpp"

#include <map>
#include <string>
#include <vector>

namespace kevolve {

// Returns a variable of this process's environment; empty if it is not set.
std::string environment(const char* name);
// Returns the interpreter that KEVOLVE_PYTHON names, as helpers find it in folders of their own; empty if it is not
// set.
std::string named_python();
// Returns a helper's environment: the variables for finding programs and temporary files, and nothing else of ours.
std::map<std::string, std::string> helper_environment();
std::string core_list(const std::vector<int>& cores); // for example "0,1"
std::string file_bytes(const std::string& path);      // empty if the file cannot be read
void accept_weakness(std::vector<std::string>& argv, const target_options& options);

} // namespace kevolve
