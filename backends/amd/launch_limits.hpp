// The published launch limits of AMD's data-centre GPUs and the launch facts of a code object, for checks without the
// device. Pure.
#pragma once

#include "backends/amd/code_object.hpp"
#include "backends/launch_plan/plan_resolution.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::hip {

// Returns the limits of "gfx90a", "gfx942" or "gfx950". A work-group may use 64 KiB of LDS, on gfx950 160 KiB.
device_limits limits_of(std::string_view architecture);

// Returns the facts of each kernel by its name. Arguments that the compiler adds are left out, since a launch does not
// pass them.
std::map<std::string, kernel_facts> facts_of(const std::vector<code_kernel>& kernels);

} // namespace kevolve::hip
