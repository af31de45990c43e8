// The descriptor functions of the profile passes for Triton, for backends/profile/registry.cpp.
#pragma once

#include "backends/profile/pass.hpp"

namespace kevolve {

profile_pass gpu_proton_pass(); // proton_pass.cpp

} // namespace kevolve
