// kevolve eval on a target where nothing launches, or on a machine without its device: what the compiler says of a
// candidate, and no verdict but its refusal.
#pragma once

#include "actors/messages/records.hpp"
#include "backends/target.hpp"

namespace kevolve {

// The exit code: never that of success, since nothing is proven. `lacks`: what this machine lacks; empty: nothing.
int compile_alone(const contract& task, const target& hardware, const candidate& what,
                  const std::string& missing_requirements, bool as_json);

} // namespace kevolve
