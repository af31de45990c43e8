// The descriptor functions of the profile passes for AMD's GPUs, for backends/profile/registry.cpp.
#pragma once

#include "backends/profile/pass.hpp"

namespace kevolve {

profile_pass amd_code_pass(); // code_pass.cpp

} // namespace kevolve
