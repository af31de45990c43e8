// A campaign as it comes over HTTP: its files by name, loaded and checked as if they stood on this machine.
#pragma once

#include "config/campaign.hpp"
#include "runtime/node/admin/problem.hpp"

#include <map>
#include <string>
#include <vector>

namespace kevolve {

struct submitted_files {
  std::string file; // the campaign's, by its name in `files`
  std::map<std::string, std::string> files;
  std::vector<std::string> overrides;
};

// What campaigns of this build may name.
known_names of_this_build();

// Nothing but these files is read: names that lead out of them are errors. Every error at once.
tl::expected<campaign_spec, std::vector<problem_error>> load_submitted(const submitted_files& from);

} // namespace kevolve
