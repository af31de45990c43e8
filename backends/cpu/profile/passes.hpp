// The descriptor functions of the processor's profile passes, for backends/profile/registry.cpp.
#pragma once

#include "backends/profile/pass.hpp"

namespace kevolve {

profile_pass cpu_loops_pass();        // loops_pass.cpp
profile_pass cpu_remarks_pass();      // remarks_pass.cpp
profile_pass cpu_ports_pass();        // ports_pass.cpp
profile_pass cpu_ceilings_pass();     // ceilings_pass.cpp
profile_pass cpu_counters_pass();     // counters_pass.cpp
profile_pass cpu_experiments_pass();  // experiments_pass.cpp
profile_pass cpu_exact_counts_pass(); // exact_counts_pass.cpp
profile_pass cpu_diagnosis_pass();    // diagnosis_pass.cpp

} // namespace kevolve
