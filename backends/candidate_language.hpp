// A language of candidates as a target sees it. A target that takes another folder's language is given one of these.
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
  const char* document_name = "";
  std::string_view (*document)() = nullptr;
};

} // namespace kevolve
