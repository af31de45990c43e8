// A device package: machine code and the launch plan as one string. The compilers write it, and the runner reads it.
#pragma once

#include "runtime/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct device_package {
  std::vector<std::string> modules; // cubins; each kernel is in one of them
  std::string plan;                 // TOML text
};

std::string pack(const device_package& package);
result<device_package> unpack(std::string_view bytes);
bool is_device_package(std::string_view bytes);

// A candidate is one text: device source with the plan as its first comment, /* launch plan [[kernel]] … */
struct candidate_text {
  std::string plan;
  std::string source; // the whole text, so that the compiler's line numbers match the author's
  int plan_line = 0;  // number of the line with the plan's first line
};
result<candidate_text> split_candidate(std::string_view text);
// Splits a candidate in Python, where the plan is the module's docstring: """launch plan …""".
result<candidate_text> split_triton_candidate(std::string_view text);

} // namespace kevolve
