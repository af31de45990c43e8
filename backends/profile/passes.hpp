// Declares the descriptor function of each pass, for registry.cpp.
#pragma once

#include "backends/profile/pass.hpp"

namespace kevolve {

profile_pass roofline_pass();        // roofline.cpp
profile_pass device_bound_pass();    // device_evidence.cpp
profile_pass device_counters_pass(); // device_evidence.cpp

} // namespace kevolve
