// A language of candidates as seen by a target. A target that uses another folder's language gets one of these.
#pragma once

#include "backends/candidate_form.hpp"
#include "backends/target.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct candidate_language {
  const char* name = "";
  candidate_form (*form)(const contract& task) = nullptr;
  std::vector<flag_set> (*flag_menu)() = nullptr;
};

} // namespace kevolve
