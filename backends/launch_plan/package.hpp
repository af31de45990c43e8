// What the compilers make and the runner takes: machine code and the launch plan, as one string.
#pragma once

#include "runtime/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct device_package {
  std::vector<std::string> modules; // cubins; each kernel is in one of them
  std::string plan;                 // TOML
};

std::string pack(const device_package& package);
result<device_package> unpack(std::string_view bytes);
bool is_device_package(std::string_view bytes);

// A candidate is one text: device source whose first comment is the plan,
//   /* launch plan
//   [[kernel]] …
//   */
struct candidate_text {
  std::string plan;
  std::string source; // the whole text, so that the compiler's line numbers are the author's
  int plan_line = 0;  // the line that the plan's first line stands on
};
result<candidate_text> split_candidate(std::string_view text);
// The same in Python, where it is the module's own text: """launch plan …""".
result<candidate_text> split_triton_candidate(std::string_view text);

} // namespace kevolve
