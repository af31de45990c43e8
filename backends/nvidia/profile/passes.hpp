// The descriptor functions of the profile passes for NVIDIA's devices, for backends/profile/registry.cpp.
#pragma once

#include "backends/profile/pass.hpp"

namespace kevolve {

profile_pass gpu_occupancy_pass(); // occupancy_pass.cpp
profile_pass gpu_code_pass();      // code_pass.cpp
profile_pass gpu_timeline_pass();  // timeline_pass.cpp
profile_pass gpu_ncu_pass();       // ncu_pass.cpp
profile_pass gpu_diagnosis_pass(); // diagnosis_pass.cpp

} // namespace kevolve
