// What the targets tell their helpers, and what they hash of them, in one way.
#pragma once

#include "backends/target.hpp"

#include <map>
#include <string>
#include <vector>

namespace kevolve {

// Of this process; empty if there is no such variable.
std::string environment(const char* name);
// A helper sees where programs and temporary files are, and no more of our environment.
std::map<std::string, std::string> helper_environment();
std::string core_list(const std::vector<int>& cores); // "0,1"
std::string file_bytes(const std::string& path);      // empty if it cannot be read
void accept_weakness(std::vector<std::string>& argv, const target_options& options);

} // namespace kevolve
