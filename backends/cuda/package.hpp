// What the cuda target's compiler makes and its runner takes: machine code and the launch plan, as one string.
#pragma once

#include "runtime/base/result.hpp"

#include <string>
#include <string_view>

namespace kevolve {

struct device_package {
  std::string cubin;
  std::string plan; // TOML
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

} // namespace kevolve
