// Implements `kevolve eval` on a target where nothing can be launched, or on a machine without its device. It reports
// what the compiler says of a candidate, and gives no verdict but the compiler's rejection.
#pragma once

#include "actors/messages/records.hpp"
#include "backends/target.hpp"

namespace kevolve {

// Returns the exit code: never that of success, since nothing is proven. `missing_requirements`: what this machine
// lacks; empty: nothing.
int compile_alone(const contract& task, const target& hardware, const candidate& what,
                  const std::string& missing_requirements, bool as_json);

} // namespace kevolve
