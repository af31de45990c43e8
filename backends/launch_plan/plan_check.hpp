// Checks a plan without a device: its text, its numbers at the task's declared shapes, and the code that it launches.
// Pure.
#pragma once

#include "backends/launch_plan/plan_resolution.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// Returns the problems as a compiler prints them, with the author's own line numbers: "candidate.cu:3:8: error:
// kernel[0].block: …".
std::string plan_errors(const std::vector<plan_problem>& problems, std::string_view file, int plan_line);

// Returns a problem for each launched kernel that the code lacks. `facts` describes every kernel of the code.
std::vector<plan_problem> missing_kernels(const launch_plan& plan, const std::map<std::string, kernel_facts>& facts);

// Returns quantities without a value, or with one that no launch or not `device` allows, each with a shape that shows
// it. Held-out shapes stay unnamed; shapes with data-dependent sizes are left to the runner. `facts` describes every
// kernel of the code; empty if there is none yet. A device of capability 0 allows anything.
std::vector<plan_problem> plan_misfits(const launch_plan& plan, const contract& task, const device_limits& device,
                                       const std::map<std::string, kernel_facts>& facts);

} // namespace kevolve
