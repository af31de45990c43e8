// Runs a trusted tool (a compiler's driver asked about itself) and returns what it prints. Not for candidates.
#pragma once

#include "runtime/base/result.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct captured {
  int status = 0;     // exit status; 128 + signal
  std::string output; // stdout and stderr together, at most 1 MiB
};

// argv[0] is an absolute path. Environment: PATH and LC_ALL=C alone. Safe beside other threads.
result<captured> capture(const std::vector<std::string>& argv,
                         std::chrono::milliseconds limit = std::chrono::seconds{20});

// The file's path, looked up in $PATH and then the usual folders; empty if there is none.
std::string find_program(std::string_view name);

} // namespace kevolve
