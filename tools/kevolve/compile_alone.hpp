// kevolve eval on a target where nothing launches: what the compiler says of a candidate, and no verdict but its
// refusal.
#pragma once

#include "actors/records.hpp"
#include "backends/target.hpp"

namespace kevolve {

// The exit code: never that of success, since nothing is proven.
int compile_alone(const contract& task, const target& hardware, const candidate& what, bool as_json);

} // namespace kevolve
