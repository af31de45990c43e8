// What is wrong with a plan, as far as that can be said without a device: of the plan's text, of its numbers at the
// shapes that the task declares, and of the code that it launches. Pure.
#pragma once

#include "backends/launch_plan/plan_resolution.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// In the author's own lines, as a compiler puts it: "candidate.cu:3:8: error: kernel[0].block: …".
std::string plan_errors(const std::vector<plan_problem>& problems, std::string_view file, int plan_line);

// Those that the plan launches and the code has not. `facts`: of every kernel of the code.
std::vector<plan_problem> missing_kernels(const launch_plan& plan, const std::map<std::string, kernel_facts>& facts);

// Quantities that have no value, or none that a launch could have, and what `device` has not; each with the shape that
// shows it. Held-out shapes stay unnamed, and shapes whose sizes hang on data are left to the runner. `facts`: of every
// kernel of the code; empty: there is none yet. A device of capability 0 allows anything.
std::vector<plan_problem> plan_misfits(const launch_plan& plan, const contract& task, const device_limits& device,
                                       const std::map<std::string, kernel_facts>& facts);

} // namespace kevolve
