// Settings by which a node starts kevolve-profiler.
#pragma once

#include "backends/target.hpp"

#include <map>
#include <string>
#include <vector>

namespace kevolve {

struct profiler_settings {
  std::string helper_dir;
  std::map<std::string, target_options> decisions; // by target
  std::map<std::string, std::vector<int>> cores;   // of a target, the timing core first; empty: as detected
};

} // namespace kevolve
