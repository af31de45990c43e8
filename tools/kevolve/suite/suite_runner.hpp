// Runs the campaigns of a suite in a node of this process, until all have ended or the suite's budget is used up.
#pragma once

#include "tools/kevolve/suite/suite_state.hpp"

#include <string>
#include <vector>

namespace kevolve {

struct suite_run_options {
  std::string data;
  std::string campaign; // file of which each task's campaign is made
  std::string target;   // of all campaigns
  std::vector<std::string> overrides;
  std::vector<std::string> weak_sandbox;
  std::string node_file;
  size_t at_once = 1;
  bool batch = false;
  bool quiet = false;
};

enum class suite_end : uint8_t { finished, used_up, interrupted };

// Runs a suite. `s` is kept on disk as it changes. Errors are of the node; a task that is refused is noted in its item.
result<suite_end> run_suite(suite_state& s, const suite_run_options& o);

} // namespace kevolve
