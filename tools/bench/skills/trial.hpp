// The trial of skills over two halves of tasks: lessons, then campaigns with and without what the other half earned.
#pragma once

#include "runtime/base/result.hpp"
#include "tools/bench/report.hpp"
#include "tools/bench/skills/screened_judge.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve::bench {

struct trial_task {
  std::string name;
  std::string file;
  std::map<std::string, int64_t> sizes; // of the shape that replaces the declared ones
};

struct trial_options {
  std::string bin;
  std::string campaign; // file with the settings that all campaigns share
  std::array<std::vector<trial_task>, 2> halves;
  uint64_t seed = 1;
  uint64_t seeds = 5;
  uint64_t candidates = 60; // of each campaign, at most
  uint64_t lessons = 2;     // campaigns of each task that earn skills
  double share = 0.95;      // of the fastest of a task's lessons: the goal of its campaigns
  double seconds = 3'600.0; // no campaign begins after so many
  bool swap = true;         // both halves are asked in turn; else the second alone
  bool plans = false;
  bool calls = false;   // plain calls measure (call_pair.hpp), not the judge
  uint32_t threads = 3; // campaigns at once
  screening_times times;
};

// Reads the plan's JSON. errc::bad_input names what is missing.
result<void> read_plan(const std::string& text, trial_options& to);

// Runs the trial. Seeds of a task that had no time for both arms are left out, and counted.
result<json> run_trial(const trial_options& options);

} // namespace kevolve::bench
