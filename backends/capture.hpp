// Runs a trusted tool, such as a compiler's driver, and returns its output. Not for candidates.
#pragma once

#include "runtime/base/result.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct captured {
  int status = 0;     // exit status; 128 + signal number if a signal ended it
  std::string output; // stdout and stderr together, at most 1 MiB
};

// Runs argv[0], an absolute path, with only PATH and LC_ALL=C in its environment. Thread-safe.
result<captured> capture(const std::vector<std::string>& argv,
                         std::chrono::milliseconds limit = std::chrono::seconds{20});

// Returns the program's path from $PATH or the usual folders; empty if it is not found.
std::string find_program(std::string_view name);

} // namespace kevolve
