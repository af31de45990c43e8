// A campaign submitted over HTTP: its files, by name, are loaded and checked as if they were on this machine.
#pragma once

#include "config/campaign.hpp"
#include "runtime/node/admin/problem.hpp"

#include <map>
#include <string>
#include <vector>

namespace kevolve {

struct submitted_files {
  std::string file; // name of the campaign's file in `files`
  std::map<std::string, std::string> files;
  std::vector<std::string> overrides;
};

// Returns the names that campaigns of this build may use.
known_names of_this_build();

// Loads a campaign from these files only: names that lead outside are errors. Reports every error.
tl::expected<campaign_spec, std::vector<problem_error>> load_submitted(const submitted_files& from);

} // namespace kevolve
