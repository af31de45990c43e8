// What AMD's data-centre GPUs allow a launch, as published, and what a code object says that a launch must give: for
// checks without the device. Pure.
#pragma once

#include "backends/amd/code_object.hpp"
#include "backends/launch_plan/plan_resolution.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::hip {

// "gfx90a", "gfx942", "gfx950". Bytes of LDS are a work-group's: 64 KiB, 160 KiB of gfx950.
device_limits limits_of(std::string_view architecture);

// By name; arguments that the compiler adds for itself are nobody's to pass.
std::map<std::string, kernel_facts> facts_of(const std::vector<code_kernel>& kernels);

} // namespace kevolve::hip
